import type { Db } from '../../../database/store.ts';
import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { partOf } from '../../filters/pagination.ts';
import { missingQueue, poolNamed } from '../../lookups/work-pools.ts';
import { WorkQueueCreate, WorkQueueUpdate, workPoolBodies } from '../request-schema.ts';
import { WorkQueueResponse } from '../schema.ts';
import { listQueues, queueById, queueByNames, type WorkQueueWithPool } from './queue-queries.ts';
import { createQueue, deleteQueue, updateQueue } from './queues.ts';
import { workQueueResponse } from './response.ts';

const { get, search, post, patch, remove } = routesOf('Work Pools', 'work_pools');

export const workPoolQueueRoutes: readonly Route[] = [
  post('/work_pools/{work_pool_name}/queues', 'create_work_queue_work_pools__work_pool_name__queues_post', {
    summary: 'Create a queue of a work pool',
    description:
      'Creates a queue with a priority (1 is first; the other queues move back) and its own limit. 409 when the pool has one of that name.',
    body: WorkQueueCreate,
    answers: [201, WorkQueueResponse],
    handler: async ({ context, path: { work_pool_name: pool }, body }) => {
      const taken = `A work queue with this name already exists in work pool '${pool}'.`;
      const { id } = await createQueue(context, (tx) => poolNamed(tx, pool), body, taken);
      const queue = await context.db.first(queueById, { id, also: '' });
      return workQueueResponse(found(queue, missingQueue(pool, body.name)), context.now);
    },
  }),
  get('/work_pools/{work_pool_name}/queues', 'list_work_queues_work_pools__work_pool_name__queues_get', {
    summary: 'List the queues of a work pool',
    description: 'One page of the queues of a pool, by priority.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(WorkQueueResponse),
    handler: async ({ context, path, query }) => {
      const { id: work_pool_id } = await poolNamed(context.db, path.work_pool_name);
      const queues = await listQueues(context.db, { work_pool_id, filter: null, ...partOf(context, query) });
      return queues.map((queue) => workQueueResponse(queue, context.now));
    },
  }),
  get('/work_pools/{work_pool_name}/queues/{name}', 'read_work_queue_work_pools__work_pool_name__queues__name__get', {
    summary: 'Read a queue of a work pool',
    description: 'One queue by pool and name. 404 when there is none.',
    answers: WorkQueueResponse,
    handler: async ({ context, path }) => workQueueResponse(await queueNamed(context.db, path), context.now),
  }),
  patch(
    '/work_pools/{work_pool_name}/queues/{name}',
    'update_work_queue_work_pools__work_pool_name__queues__name__patch',
    {
      summary: 'Update a queue of a work pool',
      description: 'Changes the given fields. A new priority moves the other queues. 404 when there is none.',
      body: WorkQueueUpdate,
      handler: async ({ context, path, body }) => {
        await poolNamed(context.db, path.work_pool_name);
        const { id } = await queueNamed(context.db, path);
        await updateQueue(context, id, body, missingIn(path), true);
      },
    },
  ),
  remove(
    '/work_pools/{work_pool_name}/queues/{name}',
    'delete_work_queue_work_pools__work_pool_name__queues__name__delete',
    {
      summary: 'Delete a queue of a work pool',
      description:
        'Deletes the queue. Its runs then belong to no queue. 409 for the default queue of a pool. 404 when there is none.',
      handler: async ({ context, path }) => {
        const { id } = await queueNamed(context.db, path);
        await deleteQueue(context, id, missingIn(path), true);
      },
    },
  ),
  search(
    '/work_pools/{work_pool_name}/queues/filter',
    'read_work_queues_work_pools__work_pool_name__queues_filter_post',
    {
      summary: 'List queues that match a filter',
      description: 'One page of the matching queues of a pool, by priority.',
      body: workPoolBodies.queues_filter,
      answers: Type.Array(WorkQueueResponse),
      handler: async ({ context, path, body }) => {
        const page = partOf(context, body);
        const { id: work_pool_id } = await poolNamed(context.db, path.work_pool_name);
        const queues = await listQueues(context.db, { work_pool_id, filter: body.work_queues, ...page });
        return queues.map((queue) => workQueueResponse(queue, context.now));
      },
    },
  ),
];

interface QueuePath {
  readonly work_pool_name: string;
  readonly name: string;
}

async function queueNamed(db: Db, path: QueuePath): Promise<WorkQueueWithPool> {
  const { work_pool_name: pool, name } = path;
  return found(await db.first(queueByNames, { pool, name, also: '' }), missingIn(path));
}

function missingIn({ work_pool_name, name }: QueuePath): string {
  return missingQueue(work_pool_name, name);
}
