import type { Context } from '../../../context.ts';
import { NotFound } from '../../../errors.ts';
import { noContent, ok, PlainBody, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import type { WorkerFilter } from '../../filters/work-pool-filter.ts';
import { findWorkPool } from '../../lookups/work-pools.ts';
import { workPoolBodies } from '../request-schema.ts';
import { WorkerResponse } from '../schema.ts';
import { listWorkers } from './worker-queries.ts';
import { deleteWorker, recordHeartbeat, workerResponse } from './workers.ts';

const tags = ['Work Pools'];
const parameters = { work_pool_name: 'text' } as const;

export const workerRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/work_pools/{work_pool_name}/workers/heartbeat',
    operationId: 'worker_heartbeat_work_pools__work_pool_name__workers_heartbeat_post',
    summary: 'Send a heartbeat of a worker',
    description:
      'Registers the worker at its first heartbeat. It counts as offline after three times `heartbeat_interval_seconds` (30 unless it says more) without another.',
    tags,
    permission: 'work_pools:write',
    parameters,
    body: workPoolBodies.heartbeat,
    responses: { 204: null },
    async handler({ context, path, body }) {
      const id = await recordHeartbeat(context, path.work_pool_name, body);
      const isAsked = context.client.isHosted && body.return_id === 'true';
      // Clients read the id as bare text, without the quotes of JSON.
      return isAsked ? ok(new PlainBody('text/plain; charset=utf-8', id)) : noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/work_pools/{work_pool_name}/workers',
    operationId: 'list_workers_work_pools__work_pool_name__workers_get',
    summary: 'List the workers of a work pool',
    description: 'One page of the workers of a pool, the latest heartbeat first.',
    tags,
    permission: 'work_pools:read',
    parameters,
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(WorkerResponse) },
    async handler({ context, path, query }) {
      return ok(await workers(context, path.work_pool_name, null, query));
    },
  }),
  route({
    method: 'POST',
    path: '/work_pools/{work_pool_name}/workers/filter',
    operationId: 'read_workers_work_pools__work_pool_name__workers_filter_post',
    summary: 'List workers that match a filter',
    description: 'One page of the workers of a pool that match, the latest heartbeat first.',
    tags,
    permission: 'work_pools:read',
    parameters,
    body: workPoolBodies.workers_filter,
    responses: { 200: Type.Array(WorkerResponse) },
    async handler({ context, path, body }) {
      return ok(await workers(context, path.work_pool_name, body.workers, body));
    },
  }),
  route({
    method: 'DELETE',
    path: '/work_pools/{work_pool_name}/workers/{name}',
    operationId: 'delete_worker_work_pools__work_pool_name__workers__name__delete',
    summary: 'Forget a worker',
    description:
      'Deletes the record of a worker. A worker that still runs reappears with its next heartbeat. 404 when there is none.',
    tags,
    permission: 'work_pools:write',
    parameters: { work_pool_name: 'text', name: 'text' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteWorker(context, path.work_pool_name, path.name);
      return noContent;
    },
  }),
];

async function workers(
  context: Context,
  poolName: string,
  filter: WorkerFilter | null | undefined,
  page: { offset: number; limit?: number },
) {
  const limit = pageLimit(context, page.limit);
  const pool = await findWorkPool(context.db, poolName);
  if (!pool) throw new NotFound(`Work pool "${poolName}" not found.`);
  const found = await listWorkers(context.db, context.now, {
    work_pool_id: pool.id,
    filter,
    offset: page.offset,
    limit,
  });
  return found.map((worker) => workerResponse(worker, context.now));
}
