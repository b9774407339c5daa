/** Routes that read the states of a run. */
import { NotFound } from '../../../errors.ts';
import { type Answer, ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { State, stateQueries } from '../rows/state-schema.ts';
import type { Orchestrated } from './orchestration-result.ts';
import { findFlowRunState, findTaskRunState, listFlowRunStates, listTaskRunStates } from './queries.ts';

export const stateRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/flow_run_states/{id}',
    operationId: 'read_flow_run_state_flow_run_states__id__get',
    summary: 'Read a state of a flow run',
    description: 'One state by id, current or past. 404 when there is none.',
    tags: ['Flow Run States'],
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: State },
    async handler({ context, path }) {
      return ok((await findFlowRunState(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'GET',
    path: '/flow_run_states/',
    operationId: 'read_flow_run_states_flow_run_states__get',
    summary: 'List the states of a flow run',
    description: 'Every state that the run `flow_run_id` has had, oldest first.',
    tags: ['Flow Run States'],
    permission: 'flow_runs:read',
    query: stateQueries.flowRun,
    responses: { 200: Type.Array(State) },
    async handler({ context, query }) {
      return ok(await listFlowRunStates(context.answerDb, query.flow_run_id));
    },
  }),
  route({
    method: 'GET',
    path: '/task_run_states/{id}',
    operationId: 'read_task_run_state_task_run_states__id__get',
    summary: 'Read a state of a task run',
    description: 'One state by id, current or past. 404 when there is none.',
    tags: ['Task Run States'],
    permission: 'task_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: State },
    async handler({ context, path }) {
      return ok((await findTaskRunState(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'GET',
    path: '/task_run_states/',
    operationId: 'read_task_run_states_task_run_states__get',
    summary: 'List the states of a task run',
    description: 'Every state that the run `task_run_id` has had, oldest first.',
    tags: ['Task Run States'],
    permission: 'task_runs:read',
    query: stateQueries.taskRun,
    responses: { 200: Type.Array(State) },
    async handler({ context, query }) {
      return ok(await listTaskRunStates(context.answerDb, query.task_run_id));
    },
  }),
];

/** The Prefect server says "flow run" for both kinds. */
function missing(): never {
  throw new NotFound('Flow run state not found');
}

/** 201 when a state was written, 200 when the run did not change. */
export function orchestrated(result: Orchestrated): Answer {
  return { status: result.wroteState ? 201 : 200, body: result.body };
}
