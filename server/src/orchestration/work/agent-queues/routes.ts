import { NotFound } from '../../../errors.ts';
import type { Route } from '../../../http/route.ts';
import { routesOf } from '../../../http/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { limit, offset } from '../../filters/filter-schema.ts';
import { pageLimit } from '../../filters/pagination.ts';
import { LEGACY_POOL, legacyPool } from '../pools/on-demand.ts';
import { findQueue, findQueueByName, listQueues } from '../queues/queue-queries.ts';
import { createQueue, deleteQueue, updateQueue } from '../queues/queues.ts';
import { workQueueResponse } from '../queues/response.ts';
import { queueConcurrency } from '../queues/slots.ts';
import { WorkQueueCreate, WorkQueueUpdate, workQueueBodies } from '../request-schema.ts';
import { WorkQueueConcurrencyStatus, WorkQueueResponse, WorkQueueStatusDetail } from '../schema.ts';
import { queueHealth, queueResponse } from './operations.ts';

const { get, search, post, patch, remove } = routesOf('Work Queues', 'work_queues');

export const workQueueRoutes: readonly Route[] = [
  post('/work_queues/', 'create_work_queue_work_queues__post', {
    summary: 'Create a work queue',
    description:
      'A queue in the default pool of agents, or one of the old kind with a filter. 409 when the name is taken.',
    body: WorkQueueCreate,
    answers: [201, WorkQueueResponse],
    handler: async ({ context, body }) => {
      const taken = 'A work queue with this name already exists.';
      const { id } = await createQueue(context, (tx) => legacyPool(context, tx), body, taken);
      const queue = (await findQueue(context.db, id)) ?? missing();
      // A new queue has no runs yet, whatever its filter lets through.
      return workQueueResponse(queue, context.now);
    },
  }),
  get('/work_queues/', 'list_work_queues_work_queues__get', {
    summary: 'List work queues',
    description: 'One page of queues of all pools. `limit` is at most the largest page of this server.',
    query: Type.Object({ offset, limit }),
    answers: Type.Array(WorkQueueResponse),
    handler: async ({ context, query }) => {
      const page = { offset: query.offset, limit: pageLimit(context, query.limit) };
      const queues = await listQueues(context.db, { work_pool_id: null, filter: null, ...page });
      return Promise.all(queues.map((queue) => queueResponse(context, queue)));
    },
  }),
  patch('/work_queues/{id}', 'update_work_queue_work_queues__id__patch', {
    summary: 'Update a work queue',
    description: 'Changes the fields that are given. 404 when there is none.',
    body: WorkQueueUpdate,
    handler: ({ context, path, body }) => updateQueue(context, path.id, body, `Work Queue ${path.id} not found`, false),
  }),
  get('/work_queues/{id}', 'read_work_queue_work_queues__id__get', {
    summary: 'Read a work queue',
    description: 'One queue by id. 404 when there is none.',
    answers: WorkQueueResponse,
    handler: async ({ context, path }) =>
      await queueResponse(context, (await findQueue(context.db, path.id, 'CANCELLING')) ?? missing()),
  }),
  remove('/work_queues/{id}', 'delete_work_queue_work_queues__id__delete', {
    summary: 'Delete a work queue',
    description: 'Deletes the queue. Its runs are then in no queue. 404 when there is none.',
    handler: ({ context, path }) => deleteQueue(context, path.id, 'work queue not found', false),
  }),
  get('/work_queues/name/{name}', 'read_work_queue_by_name_work_queues_name__name__get', {
    summary: 'Read a work queue by name',
    description:
      'One queue of the default pool of agents by name; of any pool, the oldest, where that pool does not exist. 404 when there is none.',
    answers: WorkQueueResponse,
    handler: async ({ context, path }) => {
      const queue = await findQueueByName(context.db, LEGACY_POOL, path.name, 'CANCELLING');
      return queueResponse(context, queue ?? missing());
    },
  }),
  search('/work_queues/filter', 'read_work_queues_work_queues_filter_post', {
    summary: 'List work queues that match a filter',
    description: 'One page of the queues that match. `limit` is at most the largest page of this server.',
    body: workQueueBodies.filter,
    answers: Type.Array(WorkQueueResponse),
    handler: async ({ context, body }) => {
      const page = { offset: body.offset, limit: pageLimit(context, body.limit) };
      const queues = await listQueues(context.db, { work_pool_id: null, filter: body.work_queues, ...page });
      return Promise.all(queues.map((queue) => queueResponse(context, queue)));
    },
  }),
  search(
    '/work_queues/{id}/concurrency_status',
    'read_work_queue_concurrency_status_work_queues__id__concurrency_status_post',
    {
      summary: 'Read how full a work queue is',
      description: 'The limit of the queue, the slots taken, and the runs that hold them. 404 when there is none.',
      body: workQueueBodies.concurrency_status,
      answers: WorkQueueConcurrencyStatus,
      handler: async ({ context, path, body }) => {
        const page = { page: body.page, limit: pageLimit(context, body.limit) };
        const queue = await findQueue(context.db, path.id);
        if (!queue) throw new NotFound('Work queue not found.');
        return queueConcurrency(context, queue, page);
      },
    },
  ),
  get('/work_queues/{id}/status', 'read_work_queue_status_work_queues__id__status_get', {
    summary: 'Read the health of a work queue',
    description: 'Whether the queue has late runs and was polled lately, by its own policy. 404 when there is none.',
    answers: WorkQueueStatusDetail,
    handler: ({ context, path }) => queueHealth(context, path.id),
  }),
];

function missing(): never {
  throw new NotFound('work queue not found');
}
