/** Flow runs with their states, task runs and logs, in the order of their expected starts. */
import { sql } from 'kysely';
import { statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import { isJsonObject } from '../json.ts';
import type { Timestamp } from '../time.ts';
import { EMPTY_LIST, EMPTY_OBJECT, rowFrom, valueIn } from './rows.ts';
import { hasBegun, type RunBatch, type SourceObject } from './source.ts';
import type { Import } from './step.ts';

/** The runs of a batch and what belongs to them. When it is cut off, the same batch can come again. */
export async function importRuns({ target }: Import, batch: RunBatch): Promise<void> {
  const { runs } = batch;
  target.waitingRuns += batch.waiting;
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => String(id));
  const states = await batch.states();
  const readable = new Set<unknown>();
  const isHere = (id: unknown) => readable.has(id) && target.idOf(id) === id;
  const isOfRunHere = ({ flow_run_id }: SourceObject) => isHere(flow_run_id);
  const rows = target.readable('flow runs', runs, (run) => {
    const row = flowRunRow(run, target);
    readable.add(run.id);
    return row;
  });
  await target.transaction(async (tx) => {
    await Promise.all(rows.map(({ id, updated }) => tx.run(dropUnfinished, { id, updated })));
    const added = await target.add(tx, 'flow runs', 'flow_run', rows, ['flow_id', 'idempotency_key']);
    await addTags(
      tx,
      'flow_run_tag',
      runs.filter(({ id }) => added.has(String(id))),
    );
    const stateRows = ids.flatMap((id, index) =>
      isHere(id)
        ? target.readable('states of flow runs', states[index] ?? [], (state) => flowRunStateRow(state, id))
        : [],
    );
    await target.add(tx, 'states of flow runs', 'flow_run_state', stateRows);
  });
  for await (const page of batch.taskRuns()) {
    const ofRunsHere = page.filter(isOfRunHere);
    await target.transaction((tx) => addTaskRuns(tx, target, ofRunsHere));
  }
  for await (const page of batch.logs()) {
    const rows = target.readable('logs', page.filter(isOfRunHere), (log) =>
      rowFrom('log', { ...log, created: log['created'] ?? log['timestamp'] }),
    );
    await target.transaction((tx) => target.add(tx, 'logs', 'log', rows));
  }
}

/** A run that an earlier import brought before it had ended comes again. */
const dropUnfinished = statement<{ id: string; updated: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where "workspace" = ${given.workspace} and id = ${given.id}
      and state_type in ('RUNNING', 'PAUSED', 'CANCELLING') and updated < ${given.updated}`,
);

/** Task runs that belong to no flow run. */
export async function importBackgroundTaskRuns({ source, target, since }: Import): Promise<void> {
  for await (const page of source.backgroundTaskRuns(since)) {
    const begun = page.filter(hasBegun);
    await target.transaction((tx) => addTaskRuns(tx, target, begun));
  }
}

async function addTaskRuns(tx: Tx, target: Import['target'], runs: readonly SourceObject[]): Promise<void> {
  const rows = target.readable('task runs', runs, (run) =>
    rowFrom('task_run', run, standingOf(run), {
      empirical_policy: EMPTY_OBJECT,
      tags: EMPTY_LIST,
      task_inputs: EMPTY_OBJECT,
      run_count: 0,
      flow_run_run_count: 0,
      total_run_time: 0,
    }),
  );
  const added = await target.add(tx, 'task runs', 'task_run', rows);
  const isAdded = runs.filter(({ id }) => added.has(String(id)));
  await addTags(tx, 'task_run_tag', isAdded);
  const states = isAdded.flatMap(({ id, state }) =>
    isJsonObject(state)
      ? [rowFrom('task_run_state', state, { task_run_id: String(id) }, { state_details: EMPTY_OBJECT })]
      : [],
  );
  await target.add(tx, 'states of task runs', 'task_run_state', states);
}

async function addTags(tx: Tx, table: 'flow_run_tag' | 'task_run_tag', runs: readonly SourceObject[]): Promise<void> {
  const tags = runs.flatMap(({ id, tags }) => [...new Set(textsIn(tags))].map((tag) => ({ id: String(id), tag })));
  if (table === 'flow_run_tag') {
    await tx.insertAll(
      table,
      tags.map(({ id, tag }) => ({ tag, flow_run_id: id })),
      'on conflict do nothing',
    );
  } else {
    await tx.insertAll(
      table,
      tags.map(({ id, tag }) => ({ tag, task_run_id: id })),
      'on conflict do nothing',
    );
  }
}

function flowRunRow(run: SourceObject, target: Import['target']) {
  return rowFrom(
    'flow_run',
    run,
    {
      ...standingOf(run),
      flow_id: target.idOf(valueIn('uuid', 'flow_run', run, 'flow_id')),
      deployment_id: target.idOf(run['deployment_id']),
      work_queue_id: target.idOf(run['work_queue_id']),
      infrastructure_document_id: target.idOf(run['infrastructure_document_id']),
    },
    {
      parameters: EMPTY_OBJECT,
      context: EMPTY_OBJECT,
      empirical_policy: EMPTY_OBJECT,
      tags: EMPTY_LIST,
      labels: EMPTY_OBJECT,
      run_count: 0,
      total_run_time: 0,
      auto_scheduled: false,
    },
  );
}

/** The id of rows that are read and not stored. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** The columns that repeat the state of a run. */
function standingOf({ state }: SourceObject) {
  const { id, type, name, timestamp } = isJsonObject(state)
    ? rowFrom('task_run_state', state, { task_run_id: NIL }, { state_details: EMPTY_OBJECT })
    : { id: null, type: null, name: null, timestamp: null };
  return { state_id: id, state_type: type, state_name: name, state_timestamp: timestamp };
}

function flowRunStateRow(state: SourceObject, flow_run_id: string) {
  return rowFrom('flow_run_state', state, { flow_run_id }, { state_details: EMPTY_OBJECT });
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
