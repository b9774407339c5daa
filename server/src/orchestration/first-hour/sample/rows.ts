/** The rows of the runs of the sample. They are written without events, so that no automation acts on them. */
import type { NewRow } from '../../../database/tables/tables.ts';
import { idAt, newTimeOrderedId } from '../../../values/id.ts';
import type { JsonText } from '../../../values/json.ts';
import { addSeconds, microsecondsOf, type Timestamp } from '../../../values/time.ts';
import { beforeFirstState, type DerivedColumns, deriveColumns } from '../../runs/rows/derived-columns.ts';
import { defaultFlowRunPolicy, encodeFlowRunPolicy } from '../../runs/rows/flow-run-policy.ts';
import { createState, type State } from '../../runs/rows/state.ts';
import { stateRow } from '../../runs/rows/stored-state.ts';
import type { SampleFlow, SampleRun, SampleStep, SampleTask } from './content.ts';

/** The objects that a run of a flow refers to. */
export interface SamplePlace {
  readonly flow_id: string;
  readonly deployment_id: string | null;
  readonly work_queue_id: string | null;
  readonly parameters: JsonText;
}

interface SampleRows {
  readonly flow_run: NewRow<'flow_run'>[];
  readonly flow_run_state: NewRow<'flow_run_state'>[];
  readonly task_run: NewRow<'task_run'>[];
  readonly task_run_state: NewRow<'task_run_state'>[];
  readonly log: NewRow<'log'>[];
}

const EMPTY_LIST = '[]' as JsonText;
const EMPTY_OBJECT = '{}' as JsonText;

export function rowsOfSample(
  runs: readonly SampleRun[],
  places: Readonly<Record<SampleFlow, SamplePlace>>,
  now: Timestamp,
): SampleRows {
  const rows: SampleRows = { flow_run: [], flow_run_state: [], task_run: [], task_run_state: [], log: [] };
  for (const run of runs) addRun(rows, run, null);
  return rows;

  function addRun(to: SampleRows, run: SampleRun, parent_task_run_id: string | null): string {
    const states = statesOf(run.steps, now);
    const created = states[0]?.timestamp ?? now;
    const id = idAt(microsecondsOf(created));
    // A subflow runs in the process of its parent.
    const { flow_id, parameters, ...served } = places[run.flow];
    const place = parent_task_run_id === null ? served : { deployment_id: null, work_queue_id: null };
    to.flow_run.push({
      id,
      created,
      updated: states.at(-1)?.timestamp ?? created,
      name: run.name,
      flow_id,
      ...place,
      deployment_version: null,
      work_queue_name: place.work_queue_id === null ? null : 'default',
      flow_version: null,
      parameters,
      idempotency_key: null,
      context: EMPTY_OBJECT,
      empirical_policy: encodeFlowRunPolicy(defaultFlowRunPolicy),
      tags: EMPTY_LIST,
      labels: EMPTY_OBJECT,
      parent_task_run_id,
      auto_scheduled: false,
      infrastructure_document_id: null,
      infrastructure_pid: null,
      created_by: null,
      job_variables: null,
      ...columnsAfter(states),
    });
    to.flow_run_state.push(...states.map((state) => ({ ...stateRow(state), flow_run_id: id })));
    const taskIds = (run.tasks ?? []).map((task) => addTask(to, task, id));
    for (const { at, level, message, task } of run.logs ?? []) {
      const timestamp = addSeconds(now, at);
      to.log.push({
        id: newTimeOrderedId(),
        created: timestamp,
        name: task === undefined ? 'prefect.flow_runs' : 'prefect.task_runs',
        level,
        message,
        timestamp,
        flow_run_id: id,
        task_run_id: task === undefined ? null : (taskIds[task] ?? null),
      });
    }
    return id;
  }

  function addTask(to: SampleRows, { name, steps, child }: SampleTask, flow_run_id: string): string {
    const id = idAt(microsecondsOf(addSeconds(now, steps[0]?.at ?? 0)));
    const child_flow_run_id = child ? addRun(to, child, id) : null;
    const states = statesOf(steps, now, { child_flow_run_id });
    const created = states[0]?.timestamp ?? now;
    const key = name.replace(/-\d+$/, '');
    to.task_run.push({
      id,
      created,
      updated: states.at(-1)?.timestamp ?? created,
      name,
      flow_run_id,
      task_key: key.replaceAll('-', '_'),
      dynamic_key: name.slice(key.length + 1),
      cache_key: null,
      cache_expiration: null,
      task_version: null,
      empirical_policy: EMPTY_OBJECT,
      tags: EMPTY_LIST,
      labels: EMPTY_OBJECT,
      task_inputs: EMPTY_OBJECT,
      flow_run_run_count: 1,
      ...columnsAfter(states),
    });
    to.task_run_state.push(...states.map((state) => ({ ...stateRow(state), task_run_id: id })));
    return id;
  }
}

function statesOf(
  steps: readonly SampleStep[],
  now: Timestamp,
  details: Partial<State['state_details']> = {},
): State[] {
  return steps.map(({ at, due, ...step }) => {
    const scheduled_time = due === undefined ? null : addSeconds(now, due);
    return createState({ ...step, state_details: { ...details, scheduled_time } }, addSeconds(now, at));
  });
}

function columnsAfter(states: readonly State[]): DerivedColumns {
  let columns: DerivedColumns = beforeFirstState;
  for (const [index, state] of states.entries()) columns = deriveColumns(columns, states[index - 1], state, true);
  return columns;
}
