/** Routes that read the states of a run. */
import { found } from '../../../errors.ts';
import type { Answer, Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { State, stateQueries } from '../rows/state-schema.ts';
import type { Orchestrated } from './orchestration-result.ts';
import { flowRunStates, listFlowRunStates, listTaskRunStates, taskRunStates } from './queries.ts';

/** The Prefect server says "flow run" for both kinds. */
const MISSING = 'Flow run state not found';

const { get } = routesOf('Flow Run States', 'flow_runs');

export const stateRoutes: readonly Route[] = [
  get('/flow_run_states/{id}', 'read_flow_run_state_flow_run_states__id__get', {
    summary: 'Read a state of a flow run',
    description: 'One state by id, current or past. 404 when there is none.',
    answers: State,
    handler: async ({ context, path }) => found(await flowRunStates.first(context.db, path), MISSING),
  }),
  get('/flow_run_states/', 'read_flow_run_states_flow_run_states__get', {
    summary: 'List the states of a flow run',
    description: 'Every state that the run `flow_run_id` has had, oldest first.',
    query: stateQueries.flowRun,
    answers: Type.Array(State),
    handler: ({ context, query }) => listFlowRunStates(context.answerDb, query.flow_run_id),
  }),
  get('/task_run_states/{id}', 'read_task_run_state_task_run_states__id__get', {
    summary: 'Read a state of a task run',
    description: 'One state by id, current or past. 404 when there is none.',
    tags: ['Task Run States'],
    permission: 'task_runs:read',
    answers: State,
    handler: async ({ context, path }) => found(await taskRunStates.first(context.db, path), MISSING),
  }),
  get('/task_run_states/', 'read_task_run_states_task_run_states__get', {
    summary: 'List the states of a task run',
    description: 'Every state that the run `task_run_id` has had, oldest first.',
    tags: ['Task Run States'],
    permission: 'task_runs:read',
    query: stateQueries.taskRun,
    answers: Type.Array(State),
    handler: ({ context, query }) => listTaskRunStates(context.answerDb, query.task_run_id),
  }),
];

/** 201 when a state was written, 200 when the run did not change. */
export function orchestrated(result: Orchestrated): Answer {
  return { status: result.wroteState ? 201 : 200, body: result.body };
}
