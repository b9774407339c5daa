import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { TaskWorkerResponse, taskWorkerBodies } from './schema.ts';
import { listTaskWorkers } from './workers.ts';

const { get, search } = routesOf('Task Workers', 'task_runs');

export const taskWorkerRoutes: readonly Route[] = [
  get('/task_workers/', 'list_task_workers_task_workers__get', {
    summary: 'List task workers',
    description: 'The programs that serve background tasks and are connected, or were until a moment ago.',
    answers: Type.Array(TaskWorkerResponse),
    handler: ({ context }) => listTaskWorkers(context, []),
  }),
  search('/task_workers/filter', 'read_task_workers_task_workers_filter_post', {
    summary: 'List the workers of tasks',
    description: 'The connected task workers that serve any of the given tasks; all of them without a filter.',
    body: taskWorkerBodies.filter,
    answers: Type.Array(TaskWorkerResponse),
    handler: ({ context, body }) => listTaskWorkers(context, body.task_worker_filter?.task_keys ?? []),
  }),
];
