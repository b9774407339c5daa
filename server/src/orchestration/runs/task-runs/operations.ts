import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { IntegrityConflict, notFound, ObjectNotFound } from '../../../errors.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { beforeFirstState } from '../rows/derived-columns.ts';
import { findFlowRun } from '../rows/flow-runs.ts';
import { randomRunName } from '../rows/random-name.ts';
import { normalisePolicy } from '../rows/retry-policy.ts';
import type { Proposal } from '../rows/state.ts';
import { TaskRunPolicy } from '../rows/task-run-policy.ts';
import { transitionTaskRun } from '../state-machine.ts';
import type { Orchestrated } from '../states/orchestration-result.ts';
import {
  deleteTaskRunRow,
  findTaskRun,
  findTaskRunByNaturalKey,
  insertTaskRunIfAbsent,
  type TaskRunWithState,
  taskRuns,
} from './queries.ts';
import { TaskInputs, type TaskRunCreate, type TaskRunUpdate } from './schema.ts';

export const MISSING = 'Task not found';

const encodePolicy = compileEncoder(TaskRunPolicy);
const encodeInputs = compileEncoder(TaskInputs);

const defaultPolicy: TaskRunPolicy = {
  max_retries: 0,
  retry_delay_seconds: 0,
  retries: null,
  retry_delay: null,
  retry_jitter_factor: null,
};

/**
 * Creates a task run and writes its first state. When its natural key is taken, returns the stored run and ignores the
 * rest of the request. Throws IntegrityConflict for a flow run that does not exist and for an id that is taken.
 * Source: `POST /task_runs/` of the Prefect server 3.9.1.
 */
export function createTaskRun(
  context: Context,
  input: TaskRunCreate,
): Promise<{ run: TaskRunWithState; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const row = await newRow(context, tx, input);
    if (!(await insertTaskRunIfAbsent(tx, row))) {
      const stored = await findTaskRunByNaturalKey(tx, row);
      if (!stored) throw new IntegrityConflict();
      return { run: stored, isNew: false };
    }
    await transitionTaskRun(context, tx, row.id, input.state ?? { type: 'PENDING' }, true);
    const run = await findTaskRun(tx, row.id);
    if (!run) throw new Error('A task run vanished while it was created.');
    return { run, isNew: true };
  });
}

async function newRow(context: Context, tx: Tx, input: TaskRunCreate): Promise<NewRow<'task_run'>> {
  return {
    ...beforeFirstState,
    id: input.id ?? newTimeOrderedId(),
    created: context.now,
    updated: context.now,
    name: input.name || randomRunName(),
    flow_run_id: input.flow_run_id ?? null,
    task_key: input.task_key,
    dynamic_key: input.dynamic_key,
    cache_key: input.cache_key ?? null,
    cache_expiration: input.cache_expiration ?? null,
    task_version: input.task_version ?? null,
    empirical_policy: encodePolicy(normalisePolicy(input.empirical_policy ?? defaultPolicy)) as JsonText,
    tags: jsonTextOf(input.tags ?? []),
    labels: await labelsOf(tx, input),
    task_inputs: encodeInputs(input.task_inputs ?? {}) as JsonText,
    flow_run_run_count: 0,
  };
}

/** Merges the flow run's labels, the system's and its own; later ones win. */
async function labelsOf(tx: Tx, { flow_run_id, labels: own }: TaskRunCreate): Promise<JsonText> {
  if (!flow_run_id) return own ?? ('{}' as JsonText);
  const flowRun = await findFlowRun(tx, flow_run_id);
  if (!flowRun) throw new IntegrityConflict();
  return jsonTextOf({
    ...parseObject(flowRun.labels),
    'prefect.flow-run.id': flow_run_id,
    ...(own ? parseObject(own) : {}),
  });
}

/** Renames a run. A null or empty name becomes a random one. Throws NotFound. */
export function updateTaskRun(context: Context, id: string, { name }: TaskRunUpdate): Promise<void> {
  const change = { name: name === undefined ? undefined : name || randomRunName(), updated: context.now };
  return context.transaction(async (tx) => {
    if ((await taskRuns.changeAll(tx, { id }, change)) === 0) notFound('Task run not found');
  });
}

/** Throws NotFound. */
export function deleteTaskRun(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    if (!(await deleteTaskRunRow(tx, id))) notFound(MISSING);
  });
}

/** Proposes a state for a run. Throws ObjectNotFound when the run does not exist. */
export function setTaskRunState(
  context: Context,
  id: string,
  proposal: Proposal,
  force: boolean,
): Promise<Orchestrated> {
  return context.sharedTransaction(id, async (tx) => {
    const result = await transitionTaskRun(context, tx, id, proposal, force);
    if (!result) throw new ObjectNotFound(`Task run with id ${id} not found`);
    return result;
  });
}
