import type { Context } from '../../../context/context.ts';
import { noContent, ok, PlainBody, type Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
import type { WorkerFilter } from '../../filters/work-pool-filter.ts';
import { poolNamed } from '../../lookups/work-pools.ts';
import { workPoolBodies } from '../request-schema.ts';
import { WorkerResponse } from '../schema.ts';
import { listWorkers } from './worker-queries.ts';
import { deleteWorker, recordHeartbeat, workerResponse } from './workers.ts';

const { get, search, post, remove } = routesOf('Work Pools', 'work_pools');

export const workerRoutes: readonly Route[] = [
  post(
    '/work_pools/{work_pool_name}/workers/heartbeat',
    'worker_heartbeat_work_pools__work_pool_name__workers_heartbeat_post',
    {
      summary: 'Send the heartbeat of a worker',
      description:
        'Registers the worker at its first heartbeat. It is offline after three times `heartbeat_interval_seconds` (default: 30) without another.',
      body: workPoolBodies.heartbeat,
      responses: { 204: null },
      async handler({ context, path, body }) {
        const id = await recordHeartbeat(context, path.work_pool_name, body);
        const isAsked = context.client.isHosted && body.return_id === 'true';
        // Clients read the id as bare text, without the quotes of JSON.
        return isAsked ? ok(new PlainBody('text/plain; charset=utf-8', id)) : noContent;
      },
    },
  ),
  get('/work_pools/{work_pool_name}/workers', 'list_workers_work_pools__work_pool_name__workers_get', {
    summary: 'List the workers of a work pool',
    description: 'One page of the workers of a pool, the latest heartbeat first.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(WorkerResponse),
    handler: ({ context, path, query }) => listed(context, path.work_pool_name, null, query),
  }),
  search(
    '/work_pools/{work_pool_name}/workers/filter',
    'read_workers_work_pools__work_pool_name__workers_filter_post',
    {
      summary: 'List workers that match a filter',
      description: 'One page of the matching workers of a pool, the latest heartbeat first.',
      body: workPoolBodies.workers_filter,
      answers: Type.Array(WorkerResponse),
      handler: ({ context, path, body }) => listed(context, path.work_pool_name, body.workers, body),
    },
  ),
  remove(
    '/work_pools/{work_pool_name}/workers/{name}',
    'delete_worker_work_pools__work_pool_name__workers__name__delete',
    {
      summary: 'Delete a worker',
      description:
        'Deletes the record of a worker. A worker that still runs reappears with its next heartbeat. 404 when there is none.',
      handler: ({ context, path }) => deleteWorker(context, path.work_pool_name, path.name),
    },
  ),
];

async function listed(
  context: Context,
  poolName: string,
  filter: WorkerFilter | null | undefined,
  asked: { offset: number; limit?: number },
) {
  const part = partOf(context, asked);
  const { id: work_pool_id } = await poolNamed(context.db, poolName);
  const workers = await listWorkers(context.db, context.now, { work_pool_id, filter, ...part });
  return workers.map((worker) => workerResponse(worker, context.now));
}
