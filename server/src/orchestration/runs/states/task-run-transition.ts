/** The only code that changes a task run's state through the API. `task-runs/recorder.ts` records events of clients. */
import { sql } from 'kysely';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { newId } from '../../../values/id.ts';
import { parseJson, parseObject } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type DerivedColumns, deriveColumns, derivedColumnsOf } from '../rows/derived-columns.ts';
import { createState, type Proposal, type State, withDetails } from '../rows/state.ts';
import { insertTaskRunState, type JoinedState, stateColumns, stateOf } from '../rows/stored-state.ts';
import type { TaskRunPolicy } from '../rows/task-run-policy.ts';
import type { Transition } from './effects.ts';
import { orchestrate } from './orchestrate.ts';
import { type Orchestrated, resultOf } from './orchestration-result.ts';
import { backgroundTaskPolicy, coreTaskPolicy, minimalTaskPolicy } from './policies.ts';
import type { EnclosingFlowRun, Reads, RunChanges, TaskRule, TaskRunView } from './rules/rule.ts';
import { separateArtifact } from './state-artifact.ts';

type TaskRunForTransition = Omit<Row<'task_run'>, 'state_id'> & JoinedState;

const taskRunForTransition = statement<{ id: string }, TaskRunForTransition>(
  (_query, given) =>
    sql<TaskRunForTransition>`select task_run.*, ${stateColumns} from task_run
      left join task_run_state state on state.workspace = task_run.workspace and state.id = task_run.state_id
      where task_run."workspace" = ${given.workspace} and task_run.id = ${given.id}`,
);

const updateState = statement<{ id: string; updated: Timestamp; flow_run_run_count: number } & DerivedColumns, unknown>(
  (query, given) =>
    query
      .updateTable('task_run')
      .set({
        updated: given.updated,
        flow_run_run_count: given.flow_run_run_count,
        ...derivedColumnsOf(given),
      })
      .where('workspace', '=', given.workspace)
      .where('id', '=', given.id),
  { merges: 'uncounted' },
);

const enclosingFlowRun = statement<{ id: string }, JoinedState & { run_count: number }>(
  (_query, given) =>
    sql<JoinedState & { run_count: number }>`select flow_run.run_count, flow_run.state_id, ${stateColumns} from flow_run
      left join flow_run_state state on state.workspace = flow_run.workspace and state.id = flow_run.state_id
      where flow_run."workspace" = ${given.workspace} and flow_run.id = ${given.id}`,
);

const cachedState = statement<{ cache_key: string; now: Timestamp }, JoinedState>(
  (_query, given) =>
    sql<JoinedState>`select state.id as state_id, ${stateColumns} from task_run_state_cache cache
      join task_run_state state on state.workspace = cache.workspace and state.id = cache.task_run_state_id
      where cache."workspace" = ${given.workspace} and cache.cache_key = ${given.cache_key}
        and (cache.cache_expiration is null or cache.cache_expiration > ${given.now})
      order by cache.created desc limit 1`,
);

const insertCacheEntry = statement<
  { id: string; created: Timestamp; cache_key: string; cache_expiration: Timestamp | null; task_run_state_id: string },
  unknown
>((query, given) =>
  query.insertInto('task_run_state_cache').values({
    workspace: given.workspace,
    id: given.id,
    created: given.created,
    cache_key: given.cache_key,
    cache_expiration: given.cache_expiration,
    task_run_state_id: given.task_run_state_id,
  }),
);

/** Proposes a state for a task run. Undefined when the run does not exist. */
export async function transitionTaskRun(
  { context, tx, effects }: Transition,
  id: string,
  proposal: Proposal,
  force: boolean,
): Promise<Orchestrated | undefined> {
  const [, row] = await Promise.all([tx.lock('task_run', id), tx.first(taskRunForTransition, { id })]);
  if (!row) return undefined;
  // Each tag may have a limit.
  if (row.tags !== '[]') tx.alone();
  const initial = stateOf(row);
  const proposed = createState(proposal, context.now);
  const empirical_policy = parseObject(row.empirical_policy) as unknown as TaskRunPolicy;
  const slots = effects.taskRunSlots(context, tx, id, parseJson(row.tags) as string[]);
  const run: TaskRunView = { ...row, empirical_policy, slots };
  const outcome = await orchestrate(policyFor(proposed, force), {
    run,
    initial,
    proposed,
    intended: proposed.type,
    now: context.now,
    client: context.client,
    reads: readsFor(tx, run, context.now),
  });
  await slots.settle(outcome.state?.type === 'RUNNING');
  const before = { ...row, ...columnsOf(outcome.changes) };
  if (!outcome.state) {
    // As on the Prefect server, an undone change also moves `updated`.
    const tried = { ...row, ...columnsOf(outcome.undone) };
    const wasChanged = tried.run_count !== row.run_count || tried.flow_run_run_count !== row.flow_run_run_count;
    if (wasChanged) await tx.run(updateState, { ...row, id, updated: context.now });
    return resultOf(outcome, initial);
  }
  const state = withDetails(outcome.state, { task_run_id: id, flow_run_id: row.flow_run_id });
  const { state: written, artifact } = separateArtifact(state);
  if (artifact) await effects.storeResult(context, tx, { ...artifact, flow_run_id: row.flow_run_id, task_run_id: id });
  await Promise.all([
    insertTaskRunState(tx, id, written),
    tx.run(updateState, {
      ...deriveColumns(before, initial, written, true),
      flow_run_run_count: before.flow_run_run_count,
      id,
      updated: context.now,
    }),
  ]);
  const { cache_key } = written.state_details;
  if (written.type === 'COMPLETED' && cache_key && !force) {
    await tx.run(insertCacheEntry, {
      id: newId(),
      created: context.now,
      cache_key,
      cache_expiration: written.state_details.cache_expiration ?? null,
      task_run_state_id: written.id,
    });
  }
  if (written.type === 'SCHEDULED' && written.state_details.deferred) {
    const { task_key } = row;
    await effects.enqueue(context, tx, { id, task_key, is_retry: written.name === 'AwaitingRetry' });
  }
  // The answer to the client contains the data even when the state does not keep it.
  return resultOf(outcome, { ...written, data: written.data ?? state.data });
}

function columnsOf(
  changes: readonly RunChanges<TaskRunPolicy>[],
): Pick<RunChanges<never>, 'run_count' | 'flow_run_run_count'> {
  return Object.assign({}, ...changes);
}

/** Background runs have their own rules, with or without `force`. */
function policyFor(proposed: State, force: boolean): readonly TaskRule[] {
  if (proposed.state_details.deferred) return backgroundTaskPolicy;
  return force ? minimalTaskPolicy : coreTaskPolicy;
}

function readsFor(tx: Tx, run: TaskRunView, now: Timestamp): Reads {
  let enclosing: Promise<EnclosingFlowRun | undefined> | undefined;
  return {
    cachedState: async (cache_key) => {
      const row = await tx.first(cachedState, { cache_key, now });
      return row && stateOf(row);
    },
    enclosingFlowRun: () => {
      enclosing ??= readEnclosingFlowRun(tx, run.flow_run_id);
      return enclosing;
    },
  };
}

async function readEnclosingFlowRun(tx: Tx, id: string | null): Promise<EnclosingFlowRun | undefined> {
  if (id === null) return undefined;
  const row = await tx.first(enclosingFlowRun, { id });
  return row && { run_count: row.run_count, state: stateOf(row) };
}
