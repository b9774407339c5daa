/** The older routes of concurrency limits. A limit on a tag of task runs is a global limit named `tag:<tag>`. */
import type { Context } from '../../../context.ts';
import { created, ok, type Route, route } from '../../../http/route.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { MinimalConcurrencyLimitResponse } from '../global-limits/schema.ts';
import { tagOfLimitName } from '../global-limits/tag-slots.ts';
import {
  deleteTagLimit,
  giveBackTagSlots,
  readTagLimit,
  resetTagLimit,
  showAll,
  takeTagSlots,
  upsertTagLimit,
} from './operations.ts';
import { listTagLimits } from './queries.ts';
import { ConcurrencyLimit, ConcurrencyLimitCreate, tagLimitBodies } from './schema.ts';

const tags = ['Concurrency Limits'];

export const tagLimitRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/concurrency_limits/',
    operationId: 'create_concurrency_limit_concurrency_limits__post',
    summary: 'Create or change a tag limit',
    description:
      'At most `concurrency_limit` task runs with the tag run at a time. A tag that has a limit gets the new one. 201 for a new limit, else 200.',
    tags,
    permission: 'concurrency_limits:write',
    body: ConcurrencyLimitCreate,
    responses: { 200: ConcurrencyLimit, 201: ConcurrencyLimit },
    async handler({ context, body }) {
      const upserted = await upsertTagLimit(context, body);
      return upserted.created ? created(upserted.limit) : ok(upserted.limit);
    },
  }),
  route({
    method: 'GET',
    path: '/concurrency_limits/',
    operationId: 'list_concurrency_limits_concurrency_limits__get',
    summary: 'List tag limits',
    description: 'One page of the limits on tags of task runs, with the runs that hold their slots.',
    tags,
    permission: 'concurrency_limits:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(ConcurrencyLimit) },
    async handler({ context, query }) {
      return ok(await listed(context, query));
    },
  }),
  route({
    method: 'POST',
    path: '/concurrency_limits/filter',
    operationId: 'read_concurrency_limits_concurrency_limits_filter_post',
    summary: 'Page through tag limits',
    description: '`limit` limits from `offset`, with the runs that hold their slots.',
    tags,
    permission: 'concurrency_limits:read',
    body: tagLimitBodies.filter,
    responses: { 200: Type.Array(ConcurrencyLimit) },
    async handler({ context, body }) {
      return ok(await listed(context, body));
    },
  }),
  route({
    method: 'GET',
    path: '/concurrency_limits/{id}',
    operationId: 'read_concurrency_limit_concurrency_limits__id__get',
    summary: 'Read a tag limit',
    description: 'One limit by id, with the runs that hold its slots. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:read',
    parameters: { id: 'uuid' },
    responses: { 200: ConcurrencyLimit },
    async handler({ context, path }) {
      return ok(await readTagLimit(context, path));
    },
  }),
  route({
    method: 'DELETE',
    path: '/concurrency_limits/{id}',
    operationId: 'delete_concurrency_limit_concurrency_limits__id__delete',
    summary: 'Delete a tag limit',
    description: 'Task runs with the tag are no longer limited. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:write',
    parameters: { id: 'uuid' },
    responses: { 200: Json() },
    async handler({ context, path }) {
      await deleteTagLimit(context, path);
      return ok(null);
    },
  }),
  route({
    method: 'GET',
    path: '/concurrency_limits/tag/{tag}',
    operationId: 'read_concurrency_limit_by_tag_concurrency_limits_tag__tag__get',
    summary: 'Read the limit of a tag',
    description: 'The limit of a tag, with the runs that hold its slots. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:read',
    parameters: { tag: 'text' },
    responses: { 200: ConcurrencyLimit },
    async handler({ context, path }) {
      return ok(await readTagLimit(context, path));
    },
  }),
  route({
    method: 'DELETE',
    path: '/concurrency_limits/tag/{tag}',
    operationId: 'delete_concurrency_limit_by_tag_concurrency_limits_tag__tag__delete',
    summary: 'Delete the limit of a tag',
    description: 'Task runs with the tag are no longer limited. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:write',
    parameters: { tag: 'text' },
    responses: { 200: Json() },
    async handler({ context, path }) {
      await deleteTagLimit(context, path);
      return ok(null);
    },
  }),
  route({
    method: 'POST',
    path: '/concurrency_limits/tag/{tag}/reset',
    operationId: 'reset_concurrency_limit_by_tag_concurrency_limits_tag__tag__reset_post',
    summary: 'Replace the holders of a tag limit',
    description:
      'Sets which runs hold slots: those of `slot_override`, or none. Use it to free the slots of runs that are gone. 404 when there is no such limit.',
    tags,
    permission: 'concurrency_limits:write',
    parameters: { tag: 'text' },
    body: tagLimitBodies.reset,
    responses: { 200: Json() },
    async handler({ context, path, body }) {
      await resetTagLimit(context, path, body.slot_override ?? []);
      return ok(null);
    },
  }),
  route({
    method: 'POST',
    path: '/concurrency_limits/increment',
    operationId: 'increment_concurrency_limits_v1_concurrency_limits_increment_post',
    summary: 'Take a slot of each tag',
    description:
      'Takes a slot of the limit of each named tag for a task run, all or none. 423 with `Retry-After` in seconds when one is full.',
    tags,
    permission: 'concurrency_limits:write',
    body: tagLimitBodies.increment,
    responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
    async handler({ context, body }) {
      const limits = await takeTagSlots(context, body.names, body.task_run_id);
      return ok(limits.map((limit) => ({ ...limit, name: tagOfLimitName(limit.name) })));
    },
  }),
  route({
    method: 'POST',
    path: '/concurrency_limits/decrement',
    operationId: 'decrement_concurrency_limits_v1_concurrency_limits_decrement_post',
    summary: 'Give the slots of tags back',
    description: 'Releases the slots that a task run holds of the named tags.',
    tags,
    permission: 'concurrency_limits:write',
    body: tagLimitBodies.decrement,
    responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
    async handler({ context, body }) {
      // Unlike the answer to `increment`, this one has every field of the limits, as on the Prefect server.
      return ok(await giveBackTagSlots(context, body.names, body.task_run_id));
    },
  }),
];

async function listed(context: Context, page: { limit?: number; offset: number }) {
  const limits = await listTagLimits(context.db, { offset: page.offset, limit: pageLimit(context, page.limit) });
  return showAll(context, limits);
}
