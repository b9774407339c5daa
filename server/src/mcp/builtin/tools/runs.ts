/** Tools that read flow runs and task runs. */
import { DateTime, described, OneOf, Type, Uuid, withDefault } from '../../../schema/kinds.ts';
import { runId, states } from '../definition/arguments.ts';
import { cursorOf, offsetIn, pageInput, pageOutput, positionIn } from '../definition/paging.ts';
import { RunLine, runLine, stateOf, type ViewedRun } from '../definition/run-line.ts';
import { compact, jsonOf, shortened, toSecond } from '../definition/text.ts';
import { tool } from '../definition/tool.ts';

const MESSAGE_LENGTH = 1000;
const JSON_LENGTH = 2000;
const SHOWN_STATES = 20;

interface RunsPage {
  readonly runs: readonly ViewedRun[];
  readonly next: unknown;
}

const name = Type.Optional(Type.String({ maxLength: 1000 }));

const listFlowRuns = tool({
  name: 'list_flow_runs',
  title: 'List flow runs',
  description:
    'Flow runs, newest first, one line each. Filter by state, flow, deployment, work pool, tag, name or time: unfiltered lists are long. A short page may still have a next one.',
  effect: 'read',
  routes: ['POST /views/runs'],
  input: {
    states,
    state_names: described(
      Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 })),
      'Only these names of state, such as Late or AwaitingRetry.',
    ),
    flow: described(name, 'Exact name of a flow.'),
    deployment: described(name, 'Exact name of a deployment, without the name of its flow.'),
    work_pool: described(name, 'Exact name of a work pool.'),
    tag: described(name, 'Only those with this tag.'),
    name: described(name, 'Part of the name of the run.'),
    since: described(Type.Optional(DateTime()), 'Only runs that started, or should start, at this time or later.'),
    until: described(Type.Optional(DateTime()), 'Only runs that started, or should start, at this time or earlier.'),
    order: withDefault(OneOf(['newest', 'oldest']), 'newest'),
    ...pageInput,
  },
  output: { runs: Type.Array(RunLine), ...pageOutput },
  async run({ limit, cursor, order, ...given }, { ask }) {
    const exactly = (text: string | undefined) => (text === undefined ? undefined : { name: { any_: [text] } });
    const state = {
      type: given.states && { any_: given.states },
      name: given.state_names && { any_: given.state_names },
    };
    const body = {
      flow_runs: {
        state,
        name: given.name === undefined ? undefined : { like_: given.name },
        tags: given.tag === undefined ? undefined : { all_: [given.tag] },
        start_time: { after_: given.since, before_: given.until },
      },
      flows: exactly(given.flow),
      deployments: exactly(given.deployment),
      work_pools: exactly(given.work_pool),
      order,
      limit,
      after: positionIn(cursor),
    };
    const { runs, next } = await ask<RunsPage>('POST /views/runs', { body });
    return { runs: runs.map(runLine), ...cursorOf(next) };
  },
});

interface FlowRunView {
  readonly flow_run: Omit<ViewedRun, 'flow_name' | 'deployment_name'> & {
    readonly deployment_id: string | null;
    readonly state: { readonly message: string | null } | null;
    readonly total_run_time: number;
    readonly parameters: unknown;
    readonly flow_version: string | null;
  };
  readonly flow: { readonly id: string; readonly name: string };
  readonly deployment: { readonly id: string; readonly name: string } | null;
  readonly parent: { readonly id: string; readonly name: string } | null;
  readonly states: readonly PastState[];
  readonly task_runs: readonly { readonly state_name: string; readonly count: number }[];
}
interface PastState {
  readonly type: string;
  readonly name: string | null;
  readonly timestamp: string;
  readonly message: string | null;
}

const ShownState = Type.Object({
  state: Type.String(),
  state_name: Type.Optional(Type.String()),
  at: Type.String(),
  message: Type.Optional(Type.String()),
});

function statesOf(states: readonly PastState[]) {
  return states.slice(-SHOWN_STATES).map(({ type, name: state_name, timestamp, message }) =>
    compact({
      ...stateOf({ state_type: type, state_name }),
      at: toSecond(timestamp) ?? timestamp,
      message: message ? shortened(message, MESSAGE_LENGTH) : undefined,
    }),
  );
}

const getFlowRun = tool({
  name: 'get_flow_run',
  title: 'Inspect a flow run',
  description: 'One flow run: its parameters, its states with their times and messages, and its task runs by state.',
  effect: 'read',
  routes: ['GET /views/flow_runs/{id}'],
  input: { run_id: runId },
  output: {
    run: RunLine,
    deployment_id: Type.Optional(Type.String()),
    parent_run_id: described(Type.Optional(Type.String()), 'The parent run, if this run is a subflow.'),
    flow_version: Type.Optional(Type.String()),
    parameters: described(Type.Optional(Type.String()), 'The value as JSON.'),
    states: described(Type.Array(ShownState), `The last ${SHOWN_STATES} states, oldest first.`),
    task_runs: described(Type.Record(Type.String(), Type.Integer()), 'Task runs by the name of their state.'),
  },
  async run({ run_id }, { ask }) {
    const view = await ask<FlowRunView>('GET /views/flow_runs/{id}', { path: { id: run_id } });
    const { flow_run: run } = view;
    const line = runLine({
      ...run,
      flow_name: view.flow.name,
      deployment_name: view.deployment?.name ?? null,
      state_message: run.state?.message ?? null,
      run_time: run.total_run_time,
    });
    return {
      ...compact({
        run: line,
        deployment_id: view.deployment?.id,
        parent_run_id: view.parent?.id,
        flow_version: run.flow_version,
        parameters: jsonOf(run.parameters, JSON_LENGTH),
      }),
      states: statesOf(view.states),
      task_runs: Object.fromEntries(view.task_runs.map(({ state_name, count }) => [state_name, count])),
      next_steps: nextOf(line),
    };
  },
});

function nextOf({ id, state }: RunLine): string[] {
  if (state === 'FAILED' || state === 'CRASHED') return [`why_did_this_run_fail with run_id ${id}`];
  if (state === 'COMPLETED' || state === 'CANCELLED' || state === 'RUNNING') return [`read_logs with run_id ${id}`];
  return [`why_is_this_run_not_running with run_id ${id}`];
}

interface TaskRun {
  readonly id: string;
  readonly name: string;
  readonly task_key: string;
  readonly flow_run_id: string | null;
  readonly state_type: string | null;
  readonly state_name: string | null;
  readonly state: { readonly message: string | null } | null;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly total_run_time: number;
  readonly run_count: number;
}

const taskFields = {
  id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  state_name: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  start: Type.Optional(Type.String()),
  end: Type.Optional(Type.String()),
  seconds: Type.Optional(Type.Number()),
  attempts: Type.Optional(Type.Integer()),
};

function taskLine(task: TaskRun, messageLength: number) {
  const message = task.state?.message;
  return compact({
    id: task.id,
    name: task.name,
    ...stateOf(task),
    message: message ? shortened(message, messageLength) : undefined,
    start: toSecond(task.start_time),
    end: toSecond(task.end_time),
    seconds: task.total_run_time > 0 ? Math.round(task.total_run_time * 10) / 10 : undefined,
    attempts: task.run_count > 1 ? task.run_count : undefined,
  });
}

const TASK_SORTS = {
  newest: 'ID_DESC',
  slowest: 'DURATION_DESC',
  ended_last: 'END_TIME_DESC',
} as const;

const listTaskRuns = tool({
  name: 'list_task_runs',
  title: 'List task runs',
  description: 'The task runs of a flow run, one line each. Filter by state, and sort by duration to find slow tasks.',
  effect: 'read',
  routes: ['POST /task_runs/filter'],
  input: {
    run_id: runId,
    states,
    name: described(name, 'Part of the name.'),
    order: withDefault(OneOf(['newest', 'slowest', 'ended_last']), 'newest'),
    ...pageInput,
  },
  output: { task_runs: Type.Array(Type.Object(taskFields)), ...pageOutput },
  async run({ run_id, limit, cursor, order, ...given }, { ask }) {
    const offset = offsetIn(cursor);
    const body = {
      task_runs: {
        flow_run_id: { any_: [run_id] },
        state: given.states && { type: { any_: given.states } },
        name: given.name === undefined ? undefined : { like_: given.name },
      },
      sort: TASK_SORTS[order],
      offset,
      limit: limit + 1,
    };
    const found = await ask<TaskRun[]>('POST /task_runs/filter', { body });
    return {
      task_runs: found.slice(0, limit).map((task) => taskLine(task, 200)),
      ...cursorOf(found.length > limit ? offset + limit : undefined),
    };
  },
});

interface TaskRunView {
  readonly task_run: TaskRun;
  readonly flow_run: { readonly id: string; readonly name: string } | null;
  readonly states: readonly PastState[];
  readonly inputs: readonly { readonly name: string; readonly runs: readonly { readonly name: string | null }[] }[];
}

const getTaskRun = tool({
  name: 'get_task_run',
  title: 'Inspect a task run',
  description: 'One task run: its states with their messages, and the task runs whose results it uses.',
  effect: 'read',
  routes: ['GET /views/task_runs/{id}'],
  input: { task_run_id: described(Uuid(), 'Id of a task run. `list_task_runs` finds it.') },
  output: {
    ...taskFields,
    task_key: Type.String(),
    run_id: Type.Optional(Type.String()),
    states: Type.Array(ShownState),
    inputs: described(
      Type.Array(Type.Object({ name: Type.String(), from: Type.Array(Type.String()) })),
      'Arguments that contain results of other runs.',
    ),
  },
  async run({ task_run_id }, { ask }) {
    const view = await ask<TaskRunView>('GET /views/task_runs/{id}', { path: { id: task_run_id } });
    return {
      ...taskLine(view.task_run, MESSAGE_LENGTH),
      task_key: view.task_run.task_key,
      ...compact({ run_id: view.flow_run?.id }),
      states: statesOf(view.states),
      inputs: view.inputs
        .filter(({ runs }) => runs.length > 0)
        .map((input) => ({ name: input.name, from: input.runs.slice(0, 10).map((run) => run.name ?? '') })),
      next_steps: [`read_logs with task_run_id ${view.task_run.id}`],
    };
  },
});

export const runTools = [listFlowRuns, getFlowRun, listTaskRuns, getTaskRun];
