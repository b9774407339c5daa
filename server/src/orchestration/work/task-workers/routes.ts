import { ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { TaskWorkerResponse, taskWorkerBodies } from './schema.ts';
import { listTaskWorkers } from './workers.ts';

const tags = ['Task Workers'];

export const taskWorkerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/task_workers/',
    operationId: 'list_task_workers_task_workers__get',
    summary: 'List task workers',
    description: 'The programs that serve background tasks and are connected, or were a moment ago.',
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
    summary: 'List the workers of tasks',
    description: 'The connected task workers that serve any of the given tasks; all of them without a filter.',
    tags,
    permission: 'task_runs:read',
    body: taskWorkerBodies.filter,
    responses: { 200: Type.Array(TaskWorkerResponse) },
    async handler({ context, body }) {
      return ok(await listTaskWorkers(context, body.task_worker_filter?.task_keys ?? []));
    },
  }),
];
