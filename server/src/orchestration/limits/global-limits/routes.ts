import type { Context } from '../../../context/context.ts';
import { found, ValidationFailed } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { Type, Uuid } from '../../../schema/kinds.ts';
import { uuidSpelledBy } from '../../../values/id.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
import { createLimit, deleteLimit, MISSING, updateLimit } from './operations.ts';
import { findLimit, type LimitInUse, type LimitKey, listLimits } from './queries.ts';
import {
  ConcurrencyLimitV2,
  ConcurrencyLimitV2Create,
  ConcurrencyLimitV2Update,
  ConcurrencyLimitWithLeaseResponse,
  concurrencyLimitBodies,
  GlobalConcurrencyLimitResponse,
  MinimalConcurrencyLimitResponse,
} from './schema.ts';
import { endLease, giveBackSlots, renewLease, takeLeasedSlots, takeSlots } from './slots.ts';
import { activeSlots } from './usage.ts';

const { get, search, post, patch, remove } = routesOf('Concurrency Limits V2', 'concurrency_limits');

export const concurrencyLimitRoutes: readonly Route[] = [
  post('/v2/concurrency_limits/', 'create_concurrency_limit_v2_v2_concurrency_limits__post', {
    summary: 'Create a global concurrency limit',
    description:
      'Creates a limit with `limit` slots under a name. With `slot_decay_per_second` above 0, slots become free at that rate. 409 when the name is taken.',
    body: ConcurrencyLimitV2Create,
    answers: [201, ConcurrencyLimitV2],
    handler: async ({ context, body }) => answerOf(context, await createLimit(context, body)),
  }),
  get('/v2/concurrency_limits/', 'list_concurrency_limits_v2_v2_concurrency_limits__get', {
    summary: 'List global concurrency limits',
    description: 'One page of limits, by name, with their slots in use.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(GlobalConcurrencyLimitResponse),
    handler: ({ context, query }) => listed(context, query),
  }),
  search('/v2/concurrency_limits/filter', 'read_all_concurrency_limits_v2_v2_concurrency_limits_filter_post', {
    summary: 'Page through global concurrency limits',
    description: '`limit` limits from `offset`, by name, with their slots in use.',
    body: concurrencyLimitBodies.filter,
    answers: Type.Array(GlobalConcurrencyLimitResponse),
    handler: ({ context, body }) => listed(context, body),
  }),
  get('/v2/concurrency_limits/{id_or_name}', 'read_concurrency_limit_v2_v2_concurrency_limits__id_or_name__get', {
    summary: 'Read a global concurrency limit',
    description: 'One limit by id or name. 404 when there is none.',
    parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
    answers: GlobalConcurrencyLimitResponse,
    handler: async ({ context, path }) =>
      answerOf(context, found(await findLimit(context.db, keyOf(path.id_or_name), context.now), MISSING)),
  }),
  patch('/v2/concurrency_limits/{id_or_name}', 'update_concurrency_limit_v2_v2_concurrency_limits__id_or_name__patch', {
    summary: 'Update a global concurrency limit',
    description: 'Changes the given fields. A limit that is not `active` does not limit. 404 when there is none.',
    parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
    body: ConcurrencyLimitV2Update,
    handler: ({ context, path, body }) => updateLimit(context, keyOf(path.id_or_name), body),
  }),
  remove(
    '/v2/concurrency_limits/{id_or_name}',
    'delete_concurrency_limit_v2_v2_concurrency_limits__id_or_name__delete',
    {
      summary: 'Delete a global concurrency limit',
      description: 'Deletes the limit. Later requests with its name are not limited. 404 when there is none.',
      parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
      handler: ({ context, path }) => deleteLimit(context, keyOf(path.id_or_name)),
    },
  ),
  post('/v2/concurrency_limits/increment', 'bulk_increment_active_slots_v2_concurrency_limits_increment_post', {
    summary: 'Take slots',
    description:
      'Takes `slots` of each named limit, all or none. 423 with `Retry-After` in seconds when one has too few free; limits that do not exist are ignored. In the mode `rate_limit` the slots are not released.',
    body: concurrencyLimitBodies.increment,
    answers: Type.Array(MinimalConcurrencyLimitResponse),
    handler: ({ context, body: { names, slots, mode } }) => takeSlots(context, { names, slots, mode }),
  }),
  post(
    '/v2/concurrency_limits/increment-with-lease',
    'bulk_increment_active_slots_with_lease_v2_concurrency_limits_increment_with_lease_post',
    {
      summary: 'Take slots with a lease',
      description:
        'Takes `slots` of each named limit, all or none, for `lease_duration` seconds. The slots are released when the lease expires, unless it is renewed. 423 with `Retry-After` in seconds when one has too few free.',
      body: concurrencyLimitBodies.incrementWithLease,
      answers: ConcurrencyLimitWithLeaseResponse,
      handler: ({ context, body: { names, slots, mode, lease_duration, holder } }) => {
        const terms = { durationSeconds: lease_duration, holder: holder ?? null };
        return takeLeasedSlots(context, { names, slots, mode }, terms);
      },
    },
  ),
  post('/v2/concurrency_limits/decrement', 'bulk_decrement_active_slots_v2_concurrency_limits_decrement_post', {
    summary: 'Release slots',
    description:
      'Releases `slots` of each named limit. `occupancy_seconds` is the time for which they were held; it improves the wait in `Retry-After`.',
    body: concurrencyLimitBodies.decrement,
    answers: Type.Array(MinimalConcurrencyLimitResponse),
    handler: ({ context, body: { names, slots, occupancy_seconds } }) =>
      giveBackSlots(context, { names, slots, occupancySeconds: occupancy_seconds ?? null }),
  }),
  post(
    '/v2/concurrency_limits/decrement-with-lease',
    'bulk_decrement_active_slots_with_lease_v2_concurrency_limits_decrement_with_lease_post',
    {
      summary: 'End a lease',
      description: 'Releases the slots of a lease. A lease that has already ended is not an error.',
      body: concurrencyLimitBodies.decrementWithLease,
      handler: ({ context, body: { lease_id } }) => endLease(context, lease_id),
    },
  ),
  post(
    '/v2/concurrency_limits/leases/{lease_id}/renew',
    'renew_concurrency_lease_v2_concurrency_limits_leases__lease_id__renew_post',
    {
      summary: 'Renew a lease',
      description:
        'The lease lasts `lease_duration` seconds from now. 410 when it has ended: others may have taken its slots.',
      parameters: { lease_id: Uuid() },
      body: concurrencyLimitBodies.renew,
      handler: async ({ context, path, body }) => {
        const decoded = decodeLeasePath(path);
        if (!decoded.ok) throw new ValidationFailed(decoded.issues);
        await renewLease(context, decoded.value.lease_id, body.lease_duration);
      },
    },
  ),
];

/** The Prefect server answers an invalid lease id with 422; its other routes answer an invalid id with 404. */
const decodeLeasePath = compileDecoder(Type.Object({ lease_id: Uuid() }), 'path');

/**
 * A text that is a spelling of a UUID is always an id, never a name. Python's spellings count: a `urn:` or `uuid:`
 * prefix, braces around the digits, dashes anywhere. Source: `GET /v2/concurrency_limits/{id_or_name}` of the Prefect
 * server 3.9.1.
 */
function keyOf(idOrName: string): LimitKey {
  const digits = idOrName
    .replace(/urn:|uuid:/g, '')
    .replace(/^[{}]+|[{}]+$/g, '')
    .replaceAll('-', '');
  const id = uuidSpelledBy(digits);
  return id === undefined ? { name: idOrName } : { id };
}

function answerOf(context: Context, limit: LimitInUse) {
  return { ...limit, active_slots: activeSlots(limit, context.now) };
}

async function listed(context: Context, asked: { limit?: number; offset: number }) {
  const limits = await listLimits(context.db, context.now, partOf(context, asked));
  return limits.map((limit) => answerOf(context, limit));
}
