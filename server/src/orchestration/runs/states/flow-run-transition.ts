/** The only code that changes a flow run's state. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import { IntegrityConflict } from '../../../errors.ts';
import { recordNewEvent } from '../../../events/record.ts';
import type { JsonText } from '../../../values/json.ts';
import { addMicroseconds, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { type DerivedColumns, deriveColumns } from '../rows/derived-columns.ts';
import { updateFlowRunState } from '../rows/flow-run-columns.ts';
import type { FlowRunPolicy } from '../rows/flow-run-policy.ts';
import { encodeFlowRunPolicy, readFlowRunPolicy } from '../rows/flow-run-policy.ts';
import { type FlowRunWithState, insertFlowRunIfAbsent } from '../rows/flow-runs.ts';
import { createState, isTerminal, type Proposal, type State, withDetails } from '../rows/state.ts';
import {
  insertFlowRunState,
  type JoinedState,
  joinedState,
  noState,
  stateColumns,
  stateOf,
} from '../rows/stored-state.ts';
import type { Transition } from './effects.ts';
import { type FlowRunSurroundings, flowRunStateEvent } from './flow-run-event.ts';
import { orchestrate } from './orchestrate.ts';
import { type Orchestrated, resultOf } from './orchestration-result.ts';
import { coreFlowPolicy, lateFlowPolicy, minimalFlowPolicy } from './policies.ts';
import { deleteInputs } from './queries.ts';
import { restartFailedTasks } from './restart-failed-tasks.ts';
import { endsPauses } from './rules/old-clients.ts';
import type { FlowRule, Reads, RunChanges } from './rules/rule.ts';
import { keepDeadlines } from './run-deadlines.ts';
import { separateArtifact } from './state-artifact.ts';
import { transitionTaskRun } from './task-run-transition.ts';

/** A run with the names of related objects for its state-change event. */
export type FlowRunForTransition = FlowRunWithState & FlowRunSurroundings & DeploymentConcurrency;

/** Null when the run has no deployment or the deployment does not set it. */
interface DeploymentConcurrency {
  readonly concurrency_limit_id: string | null;
  readonly concurrency_options: JsonText | null;
}

const surroundingColumns = sql`flow.name as flow_name, flow.tags as flow_tags, deployment.name as deployment_name,
    deployment.tags as deployment_tags, deployment.concurrency_limit_id, deployment.concurrency_options,
    work_queue.name as queue_name, work_pool.id as work_pool_id, work_pool.name as work_pool_name,
    work_pool.type as work_pool_type, parent.name as parent_name, parent.tags as parent_tags`;

const flowRunForTransition = statement<{ id: string }, FlowRunForTransition>(
  (_query, given) =>
    sql<FlowRunForTransition>`select flow_run.*, ${stateColumns}, ${surroundingColumns}
      from flow_run
      join flow on flow.workspace = flow_run.workspace and flow.id = flow_run.flow_id
      left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
      left join deployment on deployment.workspace = flow_run.workspace and deployment.id = flow_run.deployment_id
      left join work_queue on work_queue.workspace = flow_run.workspace and work_queue.id = flow_run.work_queue_id
      left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
      left join task_run parent on parent.workspace = flow_run.workspace and parent.id = flow_run.parent_task_run_id
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

/** Proposes a state for a flow run, in the caller's transaction. Undefined when the run does not exist. */
export function transitionFlowRun(
  transition: Transition,
  id: string,
  proposal: Proposal,
  force: boolean,
): Promise<Orchestrated | undefined> {
  return propose(transition, id, proposal, force ? minimalFlowPolicy : coreFlowPolicy);
}

/**
 * Marks a scheduled run late and keeps its due time. Cancels the run instead when its deployment is full and cancels
 * runs that find no slot. Undefined when the run does not exist.
 */
export function markFlowRunLate(
  transition: Transition,
  id: string,
  scheduled_time: Timestamp,
): Promise<Orchestrated | undefined> {
  const late: Proposal = { type: 'SCHEDULED', name: 'Late', state_details: { scheduled_time } };
  return propose(transition, id, late, lateFlowPolicy);
}

async function propose(
  transition: Transition,
  id: string,
  proposal: Proposal,
  rules: readonly FlowRule[],
): Promise<Orchestrated | undefined> {
  const { context, tx, effects } = transition;
  const [, row] = await Promise.all([tx.lock('flow_run', id), tx.first(flowRunForTransition, { id })]);
  if (!row) return undefined;
  const initial = stateOf(row);
  if (row.parent_task_run_id !== null || usesLimit(row, initial)) tx.alone();
  const empirical_policy = readFlowRunPolicy(row.empirical_policy);
  const slots = effects.flowRunSlots(context, tx, row);
  const outcome = await orchestrate(rules, {
    run: { ...row, empirical_policy, slots },
    initial,
    proposed: createState(proposal, context.now),
    intended: proposal.type,
    now: context.now,
    client: context.client,
    reads: noReads,
  });
  await slots.settle(outcome.state?.state_details);
  const policy = mergePolicy(empirical_policy, outcome.changes);
  if (!outcome.state) {
    // As on the Prefect server, an undone change also moves `updated`.
    const tried = mergePolicy(empirical_policy, [...outcome.undone, ...outcome.changes]);
    if (encodeFlowRunPolicy(tried) !== encodeFlowRunPolicy(empirical_policy)) {
      await updateFlowRunState(tx, row, {
        ...row,
        updated: context.now,
        empirical_policy: encodeFlowRunPolicy(policy),
      });
    }
    return resultOf(outcome, initial);
  }
  const state = uniqueInTime(outcome.state, initial);
  const written = await writeState(
    transition,
    row,
    { state, policy, settled: outcome.settled, mayBeTaken: false },
    async (columns) => {
      await updateFlowRunState(tx, row, { ...columns, id, updated: context.now });
      return true;
    },
  );
  // The answer to the client contains the data even when the state does not keep it.
  return resultOf(outcome, written && { ...written, data: written.data ?? state.data });
}

function usesLimit(run: FlowRunForTransition, initial: State | undefined): boolean {
  return run.concurrency_limit_id !== null || initial?.state_details.deployment_concurrency_lease_id != null;
}

interface Write {
  readonly state: State;
  readonly policy: FlowRunPolicy;
  /** Changes that apply after the state: the columns that follow from the state are derived without them. */
  readonly settled: readonly RunChanges<FlowRunPolicy>[];
  /** True for a new run whose idempotency key may belong to another. */
  readonly mayBeTaken: boolean;
}

/**
 * Writes a state and its effects: the run's columns, a copy on the task run that represents a subflow run, the stored
 * result and the event. `saveRun` writes the columns to the run's row before the state refers to it. Returns the state
 * as written; undefined when the idempotency key is taken.
 */
async function writeState(
  transition: Transition,
  run: FlowRunForTransition,
  { state, policy, settled, mayBeTaken }: Write,
  saveRun: (columns: DerivedColumns & { empirical_policy: JsonText }) => Promise<boolean>,
): Promise<State | undefined> {
  const { context, tx, effects } = transition;
  const initial = stateOf(run);
  const endsResuming =
    policy.resuming !== false && endsPauses(context.client) && (state.type === 'RUNNING' || isTerminal(state.type));
  const detailed = withDetails(state, {
    flow_run_id: run.id,
    ...(run.parent_task_run_id ? { task_run_id: run.parent_task_run_id } : {}),
  });
  const { state: written, artifact } = separateArtifact(detailed);
  const goesOn = policy.resuming === true && endsPauses(context.client);
  const derived = deriveColumns(run, initial, written, !goesOn);
  const kept = mergePolicy(endsResuming ? { ...policy, resuming: false } : policy, settled);
  const saved = saveRun({ ...derived, empirical_policy: encodeFlowRunPolicy(kept) });
  if (mayBeTaken && !(await saved)) return undefined;
  const ended = settled.flatMap(({ endedInputs = [] }) => endedInputs);
  if (ended.length > 0) tx.later(deleteInputs(tx, run.id, ended));
  // Sends the statements without waiting for them. `tx.later` below reports a failure, unless another comes first.
  const stateWritten = Promise.all([saved, insertFlowRunState(tx, run.id, written)]);
  stateWritten.catch(() => {});
  if (artifact || run.parent_task_run_id) await stateWritten;
  if (artifact) await effects.storeResult(context, tx, { ...artifact, flow_run_id: run.id, task_run_id: null });
  if (run.parent_task_run_id) await mirrorOnParent(transition, run.parent_task_run_id, run.id, written);
  await keepDeadlines(tx, run, initial, written);
  await restartFailedTasks(transition, run.id, written);
  if (written.type === 'FAILED' || written.type === 'CRASHED') {
    tx.afterCommit(() => context.server.hub.tell('work', 'failure-causes', context.workspace));
  }
  const event = flowRunStateEvent({ ...run, ...derived }, initial, written);
  tx.later(Promise.all([stateWritten, recordNewEvent(context, tx, event)]));
  return written;
}

const surroundings = statement<
  { flow_id: string; deployment_id: string | null; work_queue_id: string | null; parent_task_run_id: string | null },
  Surroundings
>(
  (_query, given) =>
    sql<Surroundings>`select ${surroundingColumns}
      from flow
      left join deployment on deployment.workspace = flow.workspace and deployment.id = ${given.deployment_id}
      left join work_queue on work_queue.workspace = flow.workspace and work_queue.id = ${given.work_queue_id}
      left join work_pool on work_pool.workspace = work_queue.workspace and work_pool.id = work_queue.work_pool_id
      left join task_run parent on parent.workspace = flow.workspace and parent.id = ${given.parent_task_run_id}
      where flow."workspace" = ${given.workspace} and flow.id = ${given.flow_id}`,
);

type Surroundings = Omit<FlowRunForTransition, keyof Row<'flow_run'> | keyof JoinedState>;

/**
 * Inserts a run together with its first state. Undefined when its idempotency key is taken. Throws IntegrityConflict
 * when its flow or its parent task run does not exist.
 */
export async function insertFlowRunWithState(
  transition: Transition,
  row: NewRow<'flow_run'>,
  firstState: Proposal,
): Promise<FlowRunWithState | undefined> {
  const { context, tx } = transition;
  const around = await tx.first(surroundings, row);
  if (!around || (row.parent_task_run_id !== null && around.parent_name === null)) throw new IntegrityConflict();
  const policy = readFlowRunPolicy(row.empirical_policy);
  const proposed = createState(firstState, context.now);
  const run: FlowRunForTransition = { ...row, workspace: tx.workspace, ...noState, ...around };
  let saved = row;
  const written = await writeState(
    transition,
    run,
    { state: proposed, policy, settled: [], mayBeTaken: row.idempotency_key !== null },
    (columns) => {
      saved = { ...row, ...columns };
      return insertFlowRunIfAbsent(tx, saved);
    },
  );
  return written && { ...run, ...saved, ...joinedState(written) };
}

/** Copies the state to the task run that represents the subflow run. */
async function mirrorOnParent(transition: Transition, taskRunId: string, child: string, state: State): Promise<void> {
  const state_details = { ...state.state_details, child_flow_run_id: child };
  await transitionTaskRun(transition, taskRunId, { ...state, state_details }, true);
}

/** A pass of a service has one time. Further back is a clock that differs. */
const MOMENT_SECONDS = 1;

/**
 * Moves the time to 1 µs after the previous state when both are of one moment, so that the order of states is known and
 * no two have one time.
 */
function uniqueInTime(state: State, initial: State | undefined): State {
  if (!initial || state.timestamp > initial.timestamp) return state;
  if (secondsBetween(state.timestamp, initial.timestamp) >= MOMENT_SECONDS) return state;
  return { ...state, timestamp: addMicroseconds(initial.timestamp, 1) };
}

/** Returns the same object when no change applies. */
function mergePolicy(policy: FlowRunPolicy, changes: readonly RunChanges<FlowRunPolicy>[]): FlowRunPolicy {
  const changed = changes.flatMap(({ empirical_policy }) => empirical_policy ?? []);
  return changed.length === 0 ? policy : Object.assign({}, policy, ...changed);
}

/** Rules of flow runs read only the run's own row. */
const noReads: Reads = {
  cachedState: async () => undefined,
  enclosingFlowRun: async () => undefined,
};
