/** Queries and changes of the pages of concurrency limits. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type LimitRow = components['schemas']['ConcurrencyLimitRow'];
export type SlotHolder = components['schemas']['ConcurrencySlotHolder'];

/** Slots change with runs. Clients that take slots cause no events, so slots are also read at intervals. */
const live = { meta: { watches: ['concurrency_limit', 'flow_run', 'task_run'] }, refetchInterval: 5_000 };

export const limitsQuery = infiniteQueryOptions({
  queryKey: ['concurrency-limits'],
  ...live,
  initialPageParam: 0,
  queryFn: ({ pageParam, signal }) =>
    answered(api.GET('/views/concurrency_limits', { signal, params: { query: { offset: pageParam } } })),
  getNextPageParam: ({ next }) => next,
});

export function limitQuery(id: string) {
  return queryOptions({
    queryKey: ['concurrency-limit', id],
    ...live,
    queryFn: ({ signal }) => answered(api.GET('/views/concurrency_limits/{id}', { signal, params: { path: { id } } })),
  });
}

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

export async function updateLimit(id: string, { name, limit, decay, active }: LimitForm): Promise<void> {
  await answered(
    api.PATCH('/v2/concurrency_limits/{id_or_name}', {
      params: { path: { id_or_name: id } },
      body: { name, limit, active, slot_decay_per_second: decay },
    }),
  );
}

export async function deleteLimit(id: string): Promise<void> {
  await answered(api.DELETE('/v2/concurrency_limits/{id_or_name}', { params: { path: { id_or_name: id } } }));
}

/** Ends a lease: its slots are free at once. */
export async function releaseLease(leaseId: string): Promise<void> {
  await answered(api.POST('/v2/concurrency_limits/decrement-with-lease', { body: { lease_id: leaseId } }));
}

/** Frees slots that were taken without a lease. */
export async function releaseSlots({ name, unleased_slots }: LimitRow): Promise<void> {
  await answered(api.POST('/v2/concurrency_limits/decrement', { body: { names: [name], slots: unleased_slots } }));
}

/** The number of slots taken in each interval of the last day, from the clients' events. */
export function acquiredQuery(id: string) {
  return queryOptions({
    queryKey: ['concurrency-acquired', id],
    meta: { watches: ['concurrency_limit'] },
    queryFn: ({ signal }) => {
      const until = Math.ceil(Date.now() / 60_000) * 60_000;
      return answered(
        api.POST('/events/count-by/{countable}', {
          signal,
          params: { path: { countable: 'time' } },
          body: {
            filter: {
              event: { name: ['prefect.concurrency-limit.acquired'] },
              resource: { id: [`prefect.concurrency-limit.${id}`], distinct: false },
              occurred: { since: new Date(until - 86_400_000).toISOString(), until: new Date(until).toISOString() },
              order: 'DESC',
            },
            time_unit: 'second',
            time_interval: 900,
          },
        }),
      );
    },
  });
}
