import type { Context } from '../../../context.ts';
import { ValidationFailed } from '../../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../../http/route.ts';
import { uuidSpelledBy } from '../../../id.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { Type, Uuid } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { createLimit, deleteLimit, missingLimit, updateLimit } from './operations.ts';
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

const tags = ['Concurrency Limits V2'];

export const concurrencyLimitRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/',
    operationId: 'create_concurrency_limit_v2_v2_concurrency_limits__post',
    summary: 'Create a global concurrency limit',
    description:
      'Creates a limit with `limit` slots under a name. With `slot_decay_per_second` above 0, slots become free at that rate. 409 when the name is taken.',
    tags,
    permission: 'concurrency_limits:write',
    body: ConcurrencyLimitV2Create,
    responses: { 201: ConcurrencyLimitV2 },
    async handler({ context, body }) {
      return created(answerOf(context, await createLimit(context, body)));
    },
  }),
  route({
    method: 'GET',
    path: '/v2/concurrency_limits/',
    operationId: 'list_concurrency_limits_v2_v2_concurrency_limits__get',
    summary: 'List global concurrency limits',
    description: 'One page of limits, by name, with the slots that are taken now.',
    tags,
    permission: 'concurrency_limits:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(GlobalConcurrencyLimitResponse) },
    async handler({ context, query }) {
      return ok(await listed(context, query));
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/filter',
    operationId: 'read_all_concurrency_limits_v2_v2_concurrency_limits_filter_post',
    summary: 'Page through global concurrency limits',
    description: '`limit` limits from `offset`, by name, with the slots that are taken now.',
    tags,
    permission: 'concurrency_limits:read',
    body: concurrencyLimitBodies.filter,
    responses: { 200: Type.Array(GlobalConcurrencyLimitResponse) },
    async handler({ context, body }) {
      return ok(await listed(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/v2/concurrency_limits/{id_or_name}',
    operationId: 'read_concurrency_limit_v2_v2_concurrency_limits__id_or_name__get',
    summary: 'Read a global concurrency limit',
    description: 'One limit by id or name. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:read',
    parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
    responses: { 200: GlobalConcurrencyLimitResponse },
    async handler({ context, path }) {
      const found = await findLimit(context.db, keyOf(path.id_or_name), context.now);
      if (!found) throw missingLimit();
      return ok(answerOf(context, found));
    },
  }),
  route({
    method: 'PATCH',
    path: '/v2/concurrency_limits/{id_or_name}',
    operationId: 'update_concurrency_limit_v2_v2_concurrency_limits__id_or_name__patch',
    summary: 'Update a global concurrency limit',
    description:
      'Changes the fields that are given; a limit that is not `active` lets everyone pass. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:write',
    parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
    body: ConcurrencyLimitV2Update,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateLimit(context, keyOf(path.id_or_name), body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/v2/concurrency_limits/{id_or_name}',
    operationId: 'delete_concurrency_limit_v2_v2_concurrency_limits__id_or_name__delete',
    summary: 'Delete a global concurrency limit',
    description: 'Deletes the limit. Later requests for its name are not limited. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:write',
    parameters: { id_or_name: Type.Union([Uuid(), Type.String()]) },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteLimit(context, keyOf(path.id_or_name));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/increment',
    operationId: 'bulk_increment_active_slots_v2_concurrency_limits_increment_post',
    summary: 'Take slots',
    description:
      'Takes `slots` of each named limit, all or none. 423 with `Retry-After` in seconds when one has too few free; limits that do not exist are ignored. In the mode `rate_limit` the slots are not released.',
    tags,
    permission: 'concurrency_limits:write',
    body: concurrencyLimitBodies.increment,
    responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
    async handler({ context, body: { names, slots, mode } }) {
      return ok(await takeSlots(context, { names, slots, mode }));
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/increment-with-lease',
    operationId: 'bulk_increment_active_slots_with_lease_v2_concurrency_limits_increment_with_lease_post',
    summary: 'Take slots for a time',
    description:
      'Takes `slots` of each named limit, all or none, for `lease_duration` seconds. The lease expires and returns them unless it is renewed. 423 with `Retry-After` in seconds when one has too few free.',
    tags,
    permission: 'concurrency_limits:write',
    body: concurrencyLimitBodies.incrementWithLease,
    responses: { 200: ConcurrencyLimitWithLeaseResponse },
    async handler({ context, body: { names, slots, mode, lease_duration, holder } }) {
      const terms = { durationSeconds: lease_duration, holder: holder ?? null };
      return ok(await takeLeasedSlots(context, { names, slots, mode }, terms));
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/decrement',
    operationId: 'bulk_decrement_active_slots_v2_concurrency_limits_decrement_post',
    summary: 'Give slots back',
    description:
      'Releases `slots` of each named limit. `occupancy_seconds`, the time they were held, improves the wait in `Retry-After`.',
    tags,
    permission: 'concurrency_limits:write',
    body: concurrencyLimitBodies.decrement,
    responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
    async handler({ context, body: { names, slots, occupancy_seconds } }) {
      return ok(await giveBackSlots(context, { names, slots, occupancySeconds: occupancy_seconds ?? null }));
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/decrement-with-lease',
    operationId: 'bulk_decrement_active_slots_with_lease_v2_concurrency_limits_decrement_with_lease_post',
    summary: 'End a lease',
    description: 'Releases the slots of a lease. A lease that has already ended is not an error.',
    tags,
    permission: 'concurrency_limits:write',
    body: concurrencyLimitBodies.decrementWithLease,
    responses: { 204: null },
    async handler({ context, body: { lease_id } }) {
      await endLease(context, lease_id);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/v2/concurrency_limits/leases/{lease_id}/renew',
    operationId: 'renew_concurrency_lease_v2_concurrency_limits_leases__lease_id__renew_post',
    summary: 'Renew a lease',
    description:
      "The lease lasts `lease_duration` seconds from now. 410 when it has ended, and its slots may be another's.",
    tags,
    permission: 'concurrency_limits:write',
    parameters: { lease_id: Uuid() },
    body: concurrencyLimitBodies.renew,
    responses: { 204: null },
    async handler({ context, path, body }) {
      const decoded = decodeLeasePath(path);
      if (!decoded.ok) throw new ValidationFailed(decoded.issues);
      await renewLease(context, decoded.value.lease_id, body.lease_duration);
      return noContent;
    },
  }),
];

/** The Prefect server answers an invalid lease id with 422; its other routes answer an invalid id with 404. */
const decodeLeasePath = compileDecoder(Type.Object({ lease_id: Uuid() }), 'path');

/**
 * A text that spells a UUID is always an id, never a name. Python's spellings count: a `urn:` or `uuid:` prefix, braces
 * around the digits, dashes anywhere. Source: `GET /v2/concurrency_limits/{id_or_name}` of the Prefect server 3.9.1.
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

async function listed(context: Context, page: { limit?: number; offset: number }) {
  const limits = await listLimits(context.db, context.now, {
    offset: page.offset,
    limit: pageLimit(context, page.limit),
  });
  return limits.map((limit) => answerOf(context, limit));
}
