import { NotFound } from '../../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { findWorkPool } from '../../lookups/work-pools.ts';
import { WorkPoolCreate, WorkPoolUpdate, workPoolBodies } from '../request-schema.ts';
import { WorkPoolConcurrencyStatus, WorkPoolResponse } from '../schema.ts';
import { createWorkPool, deleteWorkPool, updateWorkPool } from './operations.ts';
import { countWorkPools, findWorkPoolNow, listWorkPools } from './queries.ts';
import { workPoolResponse } from './response.ts';
import { poolConcurrency } from './slots.ts';

const tags = ['Work Pools'];

export const workPoolRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/work_pools/',
    operationId: 'create_work_pool_work_pools__post',
    summary: 'Create a work pool',
    description:
      'A pool of infrastructure that workers take runs for, with a default queue. 409 when the name is taken, 403 for names that begin with `prefect`, 422 for a template that is not valid.',
    tags,
    permission: 'work_pools:write',
    body: WorkPoolCreate,
    responses: { 201: WorkPoolResponse },
    async handler({ context, body }) {
      return created(workPoolResponse(await createWorkPool(context, body), context.client));
    },
  }),
  route({
    method: 'GET',
    path: '/work_pools/',
    operationId: 'list_work_pools_work_pools__get',
    summary: 'List work pools',
    description: 'One page of work pools. `limit` is at most the largest page of this server.',
    tags,
    permission: 'work_pools:read',
    query: Type.Object({ offset, limit }),
    responses: { 200: Type.Array(WorkPoolResponse) },
    async handler({ context, query }) {
      const page = { offset: query.offset, limit: pageLimit(context, query.limit) };
      const pools = await listWorkPools(context.answerDb, null, context.now, page);
      return ok(pools.map((pool) => workPoolResponse(pool, context.client)));
    },
  }),
  route({
    method: 'GET',
    path: '/work_pools/{name}',
    operationId: 'read_work_pool_work_pools__name__get',
    summary: 'Read a work pool',
    description: 'One pool by name, with its status. 404 when there is none.',
    tags,
    permission: 'work_pools:read',
    parameters: { name: 'text' },
    responses: { 200: WorkPoolResponse },
    async handler({ context, path }) {
      const pool = await findWorkPoolNow(context.db, path.name, context.now);
      return ok(workPoolResponse(pool ?? missing(path.name), context.client));
    },
  }),
  route({
    method: 'PATCH',
    path: '/work_pools/{name}',
    operationId: 'update_work_pool_work_pools__name__patch',
    summary: 'Update a work pool',
    description: 'Changes the fields that are given; `concurrency_limit` null means none. 404 when there is none.',
    tags,
    permission: 'work_pools:write',
    parameters: { name: 'text' },
    body: WorkPoolUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateWorkPool(context, path.name, body);
      return noContent;
    },
  }),
  route({
    method: 'DELETE',
    path: '/work_pools/{name}',
    operationId: 'delete_work_pool_work_pools__name__delete',
    summary: 'Delete a work pool',
    description:
      'Deletes the pool with its queues and workers; deployments stay without a pool. 404 when there is none.',
    tags,
    permission: 'work_pools:write',
    parameters: { name: 'text' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteWorkPool(context, path.name);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/work_pools/filter',
    operationId: 'read_work_pools_work_pools_filter_post',
    summary: 'List work pools that match a filter',
    description: 'One page of the pools that match. `limit` is at most the largest page of this server.',
    tags,
    permission: 'work_pools:read',
    body: workPoolBodies.filter,
    responses: { 200: Type.Array(WorkPoolResponse) },
    async handler({ context, body }) {
      const page = { offset: body.offset, limit: pageLimit(context, body.limit) };
      const pools = await listWorkPools(context.answerDb, body.work_pools, context.now, page);
      return ok(pools.map((pool) => workPoolResponse(pool, context.client)));
    },
  }),
  route({
    method: 'POST',
    path: '/work_pools/count',
    operationId: 'count_work_pools_work_pools_count_post',
    summary: 'Count work pools',
    description: 'The number of pools that match the filter.',
    tags,
    permission: 'work_pools:read',
    body: workPoolBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countWorkPools(context.db, body.work_pools));
    },
  }),
  route({
    method: 'POST',
    path: '/work_pools/{name}/concurrency_status',
    operationId: 'read_work_pool_concurrency_status_work_pools__name__concurrency_status_post',
    summary: 'Read how full a work pool is',
    description: 'The limit of the pool and of each of its queues, the slots taken, and the runs that hold them.',
    tags,
    permission: 'work_pools:read',
    parameters: { name: 'text' },
    body: workPoolBodies.concurrency_status,
    responses: { 200: WorkPoolConcurrencyStatus },
    async handler({ context, path, body }) {
      const page = { page: body.page, limit: pageLimit(context, body.limit) };
      const pool = await findWorkPool(context.db, path.name);
      if (!pool) throw new NotFound(`Work pool '${path.name}' not found.`);
      return ok(await poolConcurrency(context, pool, page, body.flow_run_limit));
    },
  }),
];

function missing(name: string): never {
  throw new NotFound(`Work pool "${name}" not found.`);
}
