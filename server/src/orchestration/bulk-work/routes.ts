import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { parseJson, parseObject } from '../../values/json.ts';
import { cancelBulkWork, createBulkWork, missingBulkWork } from './operations.ts';
import { type BulkWorkRow, bulkWorks, listNewest } from './queries.ts';
import { BulkWork, BulkWorkCreate } from './schema.ts';

const { get, post } = routesOf('Bulk work', 'flow_runs');

/** These routes are additions to the reference. */
export const bulkWorkRoutes: readonly Route[] = [
  post('/bulk_work/', 'create_bulk_work_bulk_work__post', {
    summary: 'Change many flow runs',
    description:
      'Stores which runs are changed, and how. The service `bulk-work` changes them in the order of their ids, each by the rules of a single change, as the caller and with the rights that the caller has at that time. `total` is the number of runs. 422 when too many match, 429 while 100 works of the workspace have not ended.',
    body: BulkWorkCreate,
    bodySize: 'large',
    answers: [201, BulkWork],
    handler: async ({ context, body }) => answer(await createBulkWork(context, body)),
  }),
  get('/bulk_work/', 'read_bulk_works_bulk_work__get', {
    summary: 'List bulk work',
    description: 'The newest 50 works with their progress, newest first. A work is kept for 30 days.',
    answers: Type.Array(BulkWork),
    handler: async ({ context }) => (await listNewest(context.db)).map(answer),
  }),
  get('/bulk_work/{id}', 'read_bulk_work_bulk_work__id__get', {
    summary: 'Read a bulk work',
    description: 'One work with its progress. 404 when there is none.',
    answers: BulkWork,
    handler: async ({ context, path }) => answer((await bulkWorks.first(context.db, path)) ?? missingBulkWork()),
  }),
  post('/bulk_work/{id}/cancel', 'cancel_bulk_work_bulk_work__id__cancel_post', {
    summary: 'Cancel a bulk work',
    description:
      'Leaves the runs that are left as they are; runs that were changed stay changed. 404 when there is none, 409 when it has ended.',
    answers: BulkWork,
    handler: async ({ context, path }) => answer(await cancelBulkWork(context, path.id)),
  }),
];

function answer({ state, ...work }: BulkWorkRow) {
  const { type = null, name = null } = state === null ? {} : parseObject(state);
  return { ...work, state_type: type, state_name: name, failures: parseJson(work.failures) };
}
