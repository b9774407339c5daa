import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit, partOf } from '../../filters/pagination.ts';
import { missingPool, workPools } from '../../lookups/work-pools.ts';
import { WorkPoolCreate, WorkPoolUpdate, workPoolBodies } from '../request-schema.ts';
import { WorkPoolConcurrencyStatus, WorkPoolResponse } from '../schema.ts';
import { createWorkPool, deleteWorkPool, updateWorkPool } from './operations.ts';
import { countWorkPools, listWorkPools, workPoolNow } from './queries.ts';
import { workPoolResponse } from './response.ts';
import { poolConcurrency } from './slots.ts';

const { get, search, post, patch, remove } = routesOf('Work Pools', 'work_pools');

export const workPoolRoutes: readonly Route[] = [
  post('/work_pools/', 'create_work_pool_work_pools__post', {
    summary: 'Create a work pool',
    description:
      'Creates a pool of infrastructure on which workers execute runs, with a default queue. 409 when the name is taken, 403 for names that begin with `prefect`, 422 for a template that is not valid.',
    body: WorkPoolCreate,
    answers: [201, WorkPoolResponse],
    handler: async ({ context, body }) => workPoolResponse(await createWorkPool(context, body), context.client),
  }),
  get('/work_pools/', 'list_work_pools_work_pools__get', {
    summary: 'List work pools',
    description: 'One page of work pools. `limit` is at most the largest page of this server.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(WorkPoolResponse),
    handler: async ({ context, query }) => {
      const pools = await listWorkPools(context.answerDb, null, context.now, partOf(context, query));
      return pools.map((pool) => workPoolResponse(pool, context.client));
    },
  }),
  get('/work_pools/{name}', 'read_work_pool_work_pools__name__get', {
    summary: 'Read a work pool',
    description: 'One pool by name, with its status. 404 when there is none.',
    answers: WorkPoolResponse,
    handler: async ({ context, path }) => {
      const pool = await context.db.first(workPoolNow, { name: path.name, now: context.now });
      return workPoolResponse(found(pool, missingPool(path.name)), context.client);
    },
  }),
  patch('/work_pools/{name}', 'update_work_pool_work_pools__name__patch', {
    summary: 'Update a work pool',
    description: 'Changes the given fields. `concurrency_limit` null removes the limit. 404 when there is none.',
    body: WorkPoolUpdate,
    handler: ({ context, path, body }) => updateWorkPool(context, path.name, body),
  }),
  remove('/work_pools/{name}', 'delete_work_pool_work_pools__name__delete', {
    summary: 'Delete a work pool',
    description:
      'Deletes the pool with its queues and workers. Its deployments stay, without a pool. 404 when there is none.',
    handler: ({ context, path }) => deleteWorkPool(context, path.name),
  }),
  search('/work_pools/filter', 'read_work_pools_work_pools_filter_post', {
    summary: 'List work pools that match a filter',
    description: 'One page of the matching pools. `limit` is at most the largest page of this server.',
    body: workPoolBodies.filter,
    answers: Type.Array(WorkPoolResponse),
    handler: async ({ context, body }) => {
      const pools = await listWorkPools(context.answerDb, body.work_pools, context.now, partOf(context, body));
      return pools.map((pool) => workPoolResponse(pool, context.client));
    },
  }),
  search('/work_pools/count', 'count_work_pools_work_pools_count_post', {
    summary: 'Count work pools',
    description: 'The number of pools that match the filter.',
    body: workPoolBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countWorkPools(context.db, body.work_pools),
  }),
  search(
    '/work_pools/{name}/concurrency_status',
    'read_work_pool_concurrency_status_work_pools__name__concurrency_status_post',
    {
      summary: 'Read the usage of a work pool',
      description: 'The limits of the pool and of its queues, their slots in use, and the runs that hold them.',
      body: workPoolBodies.concurrency_status,
      answers: WorkPoolConcurrencyStatus,
      handler: async ({ context, path, body }) => {
        const page = { page: body.page, limit: pageLimit(context, body.limit) };
        const pool = found(await workPools.first(context.db, path), `Work pool '${path.name}' not found.`);
        return poolConcurrency(context, pool, page, body.flow_run_limit);
      },
    },
  ),
];
