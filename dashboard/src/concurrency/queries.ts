/** Queries and changes of the pages of concurrency limits. */

import { answered, api } from '../api/client.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type LimitRow = components['schemas']['ConcurrencyLimitRow'];
export type SlotHolder = components['schemas']['ConcurrencySlotHolder'];

/** Slots change with runs. Clients that take slots cause no events, so slots are also read at intervals. */
const live = { watches: ['concurrency_limit', 'flow_run', 'task_run'], refetchInterval: 5_000 };

export const limitsQuery = read.pages('/views/concurrency_limits', (offset) => ({ params: { query: { offset } } }), {
  ...live,
  initialPageParam: 0,
  getNextPageParam: ({ next }) => next,
});

export const limitQuery = (id: string) =>
  read.one('/views/concurrency_limits/{id}', { params: { path: { id } } }, live);

export interface LimitForm {
  readonly name: string;
  readonly limit: number;
  readonly decay: number;
  readonly active: boolean;
}

export async function createLimit(kind: 'global' | 'tag', { name, limit, decay, active }: LimitForm): Promise<void> {
  if (kind === 'tag') {
    await answered(api.POST('/concurrency_limits/', { body: { tag: name, concurrency_limit: limit } }));
  } else {
    const body = { name, limit, active, slot_decay_per_second: decay, active_slots: 0, denied_slots: 0 };
    await answered(api.POST('/v2/concurrency_limits/', { body }));
  }
}

export const updateLimit = (id: string, { name, limit, decay, active }: LimitForm) =>
  answered(
    api.PATCH('/v2/concurrency_limits/{id_or_name}', {
      params: { path: { id_or_name: id } },
      body: { name, limit, active, slot_decay_per_second: decay },
    }),
  );

export const deleteLimit = (id: string) =>
  answered(api.DELETE('/v2/concurrency_limits/{id_or_name}', { params: { path: { id_or_name: id } } }));

/** Ends a lease: its slots are free at once. */
export const releaseLease = (leaseId: string) =>
  answered(api.POST('/v2/concurrency_limits/decrement-with-lease', { body: { lease_id: leaseId } }));

/** Frees slots that were taken without a lease. */
export const releaseSlots = ({ name, unleased_slots }: LimitRow) =>
  answered(api.POST('/v2/concurrency_limits/decrement', { body: { names: [name], slots: unleased_slots } }));

/** The number of slots taken in each interval of the last day, from the clients' events. */
export const acquiredQuery = (id: string) =>
  read.timed(
    '/events/count-by/{countable}',
    id,
    (now) => {
      const until = Math.ceil(now / 60_000) * 60_000;
      return {
        params: { path: { countable: 'time' } },
        body: {
          filter: {
            event: { name: ['prefect.concurrency-limit.acquired'] },
            resource: { id: [`prefect.concurrency-limit.${id}`], distinct: false },
            occurred: { since: new Date(until - 86_400_000).toISOString(), until: new Date(until).toISOString() },
            order: 'DESC' as const,
          },
          time_unit: 'second' as const,
          time_interval: 900,
        },
      };
    },
    { watches: ['concurrency_limit'] },
  );
