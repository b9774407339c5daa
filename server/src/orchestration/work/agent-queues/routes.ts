import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit, partOf } from '../../filters/pagination.ts';
import { LEGACY_POOL, legacyPool } from '../pools/on-demand.ts';
import { listQueues, queueById, queueByName } from '../queues/queue-queries.ts';
import { createQueue, deleteQueue, updateQueue } from '../queues/queues.ts';
import { workQueueResponse } from '../queues/response.ts';
import { queueConcurrency } from '../queues/slots.ts';
import { WorkQueueCreate, WorkQueueUpdate, workQueueBodies } from '../request-schema.ts';
import { WorkQueueConcurrencyStatus, WorkQueueResponse, WorkQueueStatusDetail } from '../schema.ts';
import { queueHealth, queueResponse } from './operations.ts';

const MISSING = 'work queue not found';

const { get, search, post, patch, remove } = routesOf('Work Queues', 'work_queues');

export const workQueueRoutes: readonly Route[] = [
  post('/work_queues/', 'create_work_queue_work_queues__post', {
    summary: 'Create a work queue',
    description:
      'Creates a queue in the default pool of agents, or one of the old kind with a filter. 409 when the name is taken.',
    body: WorkQueueCreate,
    answers: [201, WorkQueueResponse],
    handler: async ({ context, body }) => {
      const taken = 'A work queue with this name already exists.';
      const { id } = await createQueue(context, (tx) => legacyPool(context, tx), body, taken);
      const queue = await context.db.first(queueById, { id, also: '' });
      // A new queue has no runs yet, whatever its filter selects.
      return workQueueResponse(found(queue, MISSING), context.now);
    },
  }),
  get('/work_queues/', 'list_work_queues_work_queues__get', {
    summary: 'List work queues',
    description: 'One page of queues of all pools. `limit` is at most the largest page of this server.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(WorkQueueResponse),
    handler: async ({ context, query }) => {
      const page = { work_pool_id: null, filter: null, ...partOf(context, query) };
      const queues = await listQueues(context.db, page);
      return Promise.all(queues.map((queue) => queueResponse(context, queue)));
    },
  }),
  patch('/work_queues/{id}', 'update_work_queue_work_queues__id__patch', {
    summary: 'Update a work queue',
    description: 'Changes the given fields. 404 when there is none.',
    body: WorkQueueUpdate,
    handler: ({ context, path, body }) => updateQueue(context, path.id, body, `Work Queue ${path.id} not found`, false),
  }),
  get('/work_queues/{id}', 'read_work_queue_work_queues__id__get', {
    summary: 'Read a work queue',
    description: 'One queue by id. 404 when there is none.',
    answers: WorkQueueResponse,
    handler: async ({ context, path }) => {
      const queue = await context.db.first(queueById, { id: path.id, also: 'CANCELLING' });
      return queueResponse(context, found(queue, MISSING));
    },
  }),
  remove('/work_queues/{id}', 'delete_work_queue_work_queues__id__delete', {
    summary: 'Delete a work queue',
    description: 'Deletes the queue. Its runs then belong to no queue. 404 when there is none.',
    handler: ({ context, path }) => deleteQueue(context, path.id, MISSING, false),
  }),
  get('/work_queues/name/{name}', 'read_work_queue_by_name_work_queues_name__name__get', {
    summary: 'Read a work queue by name',
    description:
      'One queue of the default pool of agents, by name. If that pool does not exist, the oldest queue of that name in any pool. 404 when there is none.',
    answers: WorkQueueResponse,
    handler: async ({ context, path }) => {
      const queue = await context.db.first(queueByName, { pool: LEGACY_POOL, name: path.name, also: 'CANCELLING' });
      return queueResponse(context, found(queue, MISSING));
    },
  }),
  search('/work_queues/filter', 'read_work_queues_work_queues_filter_post', {
    summary: 'List work queues that match a filter',
    description: 'One page of the matching queues. `limit` is at most the largest page of this server.',
    body: workQueueBodies.filter,
    answers: Type.Array(WorkQueueResponse),
    handler: async ({ context, body }) => {
      const page = { work_pool_id: null, filter: body.work_queues, ...partOf(context, body) };
      const queues = await listQueues(context.db, page);
      return Promise.all(queues.map((queue) => queueResponse(context, queue)));
    },
  }),
  search(
    '/work_queues/{id}/concurrency_status',
    'read_work_queue_concurrency_status_work_queues__id__concurrency_status_post',
    {
      summary: 'Read the usage of a work queue',
      description: 'The limit of the queue, its slots in use, and the runs that hold them. 404 when there is none.',
      body: workQueueBodies.concurrency_status,
      answers: WorkQueueConcurrencyStatus,
      handler: async ({ context, path, body }) => {
        const page = { page: body.page, limit: pageLimit(context, body.limit) };
        const queue = await context.db.first(queueById, { id: path.id, also: '' });
        return queueConcurrency(context, found(queue, 'Work queue not found.'), page);
      },
    },
  ),
  get('/work_queues/{id}/status', 'read_work_queue_status_work_queues__id__status_get', {
    summary: 'Read the health of a work queue',
    description:
      'Whether the queue has late runs and was polled recently, by its health check policy. 404 when there is none.',
    answers: WorkQueueStatusDetail,
    handler: ({ context, path }) => queueHealth(context, path.id),
  }),
];
