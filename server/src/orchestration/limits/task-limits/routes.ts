/** The older routes of concurrency limits. A limit on a tag of task runs is a global limit named `tag:<tag>`. */
import type { Context } from '../../../context/context.ts';
import { created, ok, type Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Json, Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
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

const { get, search, post, remove } = routesOf('Concurrency Limits', 'concurrency_limits');

export const tagLimitRoutes: readonly Route[] = [
  post('/concurrency_limits/', 'create_concurrency_limit_concurrency_limits__post', {
    summary: 'Create or change a tag limit',
    description:
      'At most `concurrency_limit` task runs with the tag run at a time. An existing limit of the tag is replaced. 201 for a new limit, else 200.',
    body: ConcurrencyLimitCreate,
    responses: { 200: ConcurrencyLimit, 201: ConcurrencyLimit },
    async handler({ context, body }) {
      const upserted = await upsertTagLimit(context, body);
      return upserted.created ? created(upserted.limit) : ok(upserted.limit);
    },
  }),
  get('/concurrency_limits/', 'list_concurrency_limits_concurrency_limits__get', {
    summary: 'List tag limits',
    description: 'One page of the limits on tags of task runs, with the runs that hold their slots.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(ConcurrencyLimit),
    handler: ({ context, query }) => listed(context, query),
  }),
  search('/concurrency_limits/filter', 'read_concurrency_limits_concurrency_limits_filter_post', {
    summary: 'Page through tag limits',
    description: '`limit` limits from `offset`, with the runs that hold their slots.',
    body: tagLimitBodies.filter,
    answers: Type.Array(ConcurrencyLimit),
    handler: ({ context, body }) => listed(context, body),
  }),
  get('/concurrency_limits/{id}', 'read_concurrency_limit_concurrency_limits__id__get', {
    summary: 'Read a tag limit',
    description: 'One limit by id, with the runs that hold its slots. 404 when there is none.',
    answers: ConcurrencyLimit,
    handler: ({ context, path }) => readTagLimit(context, path),
  }),
  remove('/concurrency_limits/{id}', 'delete_concurrency_limit_concurrency_limits__id__delete', {
    summary: 'Delete a tag limit',
    description: 'Task runs with the tag are no longer limited. 404 when there is none.',
    answers: Json(),
    handler: async ({ context, path }) => {
      await deleteTagLimit(context, path);
      return null;
    },
  }),
  get('/concurrency_limits/tag/{tag}', 'read_concurrency_limit_by_tag_concurrency_limits_tag__tag__get', {
    summary: 'Read the limit of a tag',
    description: 'The limit of a tag, with the runs that hold its slots. 404 when there is none.',
    answers: ConcurrencyLimit,
    handler: ({ context, path }) => readTagLimit(context, path),
  }),
  remove('/concurrency_limits/tag/{tag}', 'delete_concurrency_limit_by_tag_concurrency_limits_tag__tag__delete', {
    summary: 'Delete the limit of a tag',
    description: 'Task runs with the tag are no longer limited. 404 when there is none.',
    answers: Json(),
    handler: async ({ context, path }) => {
      await deleteTagLimit(context, path);
      return null;
    },
  }),
  post(
    '/concurrency_limits/tag/{tag}/reset',
    'reset_concurrency_limit_by_tag_concurrency_limits_tag__tag__reset_post',
    {
      summary: 'Replace the holders of a tag limit',
      description:
        'Sets the runs that hold slots: those of `slot_override`, or none. Use it to free the slots of deleted runs. 404 when there is no such limit.',
      body: tagLimitBodies.reset,
      answers: Json(),
      handler: async ({ context, path, body }) => {
        await resetTagLimit(context, path, body.slot_override ?? []);
        return null;
      },
    },
  ),
  post('/concurrency_limits/increment', 'increment_concurrency_limits_v1_concurrency_limits_increment_post', {
    summary: 'Take a slot of each tag limit',
    description:
      'Takes a slot of the limit of each named tag for a task run, all or none. 423 with `Retry-After` in seconds when one is full.',
    body: tagLimitBodies.increment,
    answers: Type.Array(MinimalConcurrencyLimitResponse),
    handler: async ({ context, body }) => {
      const limits = await takeTagSlots(context, body.names, body.task_run_id);
      return limits.map((limit) => ({ ...limit, name: tagOfLimitName(limit.name) }));
    },
  }),
  post('/concurrency_limits/decrement', 'decrement_concurrency_limits_v1_concurrency_limits_decrement_post', {
    summary: 'Release the slots of tag limits',
    description: 'Releases the slots that a task run holds in the limits of the named tags.',
    body: tagLimitBodies.decrement,
    answers: Type.Array(MinimalConcurrencyLimitResponse),
    // Unlike the answer to `increment`, this one has every field of the limits, as on the Prefect server.
    handler: ({ context, body }) => giveBackTagSlots(context, body.names, body.task_run_id),
  }),
];

async function listed(context: Context, asked: { limit?: number; offset: number }) {
  const limits = await context.db.all(listTagLimits, partOf(context, asked));
  return showAll(context, limits);
}
