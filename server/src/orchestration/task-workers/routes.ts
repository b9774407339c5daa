import { ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { TaskWorkerResponse, taskWorkerBodies } from './schema.ts';
import { listTaskWorkers } from './workers.ts';

const tags = ['Task Workers'];

export const taskWorkerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/task_workers/',
    operationId: 'list_task_workers_task_workers__get',
    tags,
    permission: 'task_runs:read',
    responses: { 200: Type.Array(TaskWorkerResponse) },
    async handler({ context }) {
      return ok(await listTaskWorkers(context, []));
    },
  }),
  route({
    method: 'POST',
    path: '/task_workers/filter',
    operationId: 'read_task_workers_task_workers_filter_post',
    tags,
    permission: 'task_runs:read',
    body: taskWorkerBodies.filter,
    responses: { 200: Type.Array(TaskWorkerResponse) },
    async handler({ context, body }) {
      return ok(await listTaskWorkers(context, body.task_worker_filter?.task_keys ?? []));
    },
  }),
];
