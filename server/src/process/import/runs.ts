/** Imports flow runs with their states, task runs and logs, ordered by expected start. */
import { sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow } from '../../database/tables/tables.ts';
import { indexLines } from '../../orchestration/logs/search/blocks.ts';
import { keepPause } from '../../orchestration/runs/states/run-deadlines.ts';
import { parseDateTime } from '../../schema/parse-datetime.ts';
import { isJsonObject, isRawNumber, numberOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import { EMPTY_LIST, EMPTY_OBJECT, rowFrom, valueIn } from './rows.ts';
import { hasBegun, hasNotEnded, type RunBatch, type SourceObject } from './sources/source.ts';
import type { Import } from './step.ts';

/** Imports the runs of a batch and their data. After an interruption, the same batch can be imported again. */
export async function importRuns({ target, activates }: Import, batch: RunBatch): Promise<void> {
  const { runs } = batch;
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => String(id));
  // A dry run does not read states and logs, which would take nearly all of its time.
  const states = target.isDry ? [] : await batch.states();
  const readable = new Set<unknown>();
  const isHere = (id: unknown) => readable.has(id) && target.idOf(id) === id;
  const isOfRunHere = ({ flow_run_id }: SourceObject) => isHere(flow_run_id);
  const rows = target.readable('flow runs', runs, (run) => {
    const row = flowRunRow(run, target);
    readable.add(run.id);
    return row;
  });
  const readableIds = rows.map(({ id }) => id);
  await target.transaction(async (tx) => {
    const here = await target.present(tx, 'flow_run', readableIds);
    await Promise.all(rows.map(({ id, updated, state_type }) => tx.run(dropUnfinished, { id, updated, state_type })));
    const gone = here.size > 0 ? here.difference(await target.present(tx, 'flow_run', readableIds)) : here;
    const added = await target.add(tx, 'flow runs', 'flow_run', rows, ['flow_id', 'idempotency_key']);
    const changed = added.intersection(gone).size;
    target.count('flow runs', 0, -changed, changed);
    const ends = rows.flatMap(({ id, end_time }) => (added.has(id) && end_time ? [end_time] : []));
    await target.age(tx, 'flow_runs', ends);
    if (activates) {
      await keepPauses(
        tx,
        runs.filter(({ id }) => readable.has(id)),
      );
    }
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
    if (!target.isDry) await target.add(tx, 'states of flow runs', 'flow_run_state', stateRows);
  });
  target.unfinishedRuns += rows.filter(isUnderWay).length;
  for await (const page of batch.taskRuns()) {
    const ofRunsHere = page.filter(isOfRunHere);
    await target.transaction((tx) => addTaskRuns(tx, target, ofRunsHere));
  }
  if (target.isDry) return;
  for await (const page of batch.inputs()) {
    const rows = target.readable('inputs of flow runs', page.filter(isOfRunHere), (input) =>
      rowFrom('flow_run_input', { ...input, updated: input['updated'] ?? input['created'] }),
    );
    await target.transaction((tx) =>
      target.add(tx, 'inputs of flow runs', 'flow_run_input', rows, ['flow_run_id', 'key']),
    );
  }
  for await (const page of batch.logs()) {
    const rows = target.readable('logs', page.filter(isOfRunHere), (log) =>
      rowFrom('log', { ...log, created: log['created'] ?? log['timestamp'] }),
    );
    await target.transaction(async (tx) => {
      const added = await target.add(tx, 'logs', 'log', rows);
      if (target.isDry) return;
      // A server that keeps no index deletes it again.
      await indexLines(
        tx,
        rows.filter(({ id }) => added.has(id)),
      );
    });
  }
}

/** True for a run that has begun: its process runs or waits in the source. A suspended run has no process. */
function isUnderWay({ state_type, state_name }: NewRow<'flow_run'>): boolean {
  return hasBegun({ state_type }) && hasNotEnded({ state_type }) && state_name !== 'Suspended';
}

/**
 * Paused runs fail here when their time is over, unless they are resumed, because the source no longer manages them.
 */
async function keepPauses(tx: Tx, runs: readonly SourceObject[]): Promise<void> {
  const ids = runs.map(({ id }) => String(id));
  const paused = new Set((await pausedHere(tx, ids)).map(({ id }) => id));
  for (const { id, state } of runs) {
    const details = isJsonObject(state) ? state['state_details'] : undefined;
    const until = isJsonObject(details) ? parseDateTime(String(details['pause_timeout'])) : undefined;
    if (until && paused.has(String(id))) await keepPause(tx, String(id), until);
  }
}

function pausedHere(db: Db, ids: readonly string[]): Promise<{ id: string }[]> {
  return db.query(
    sql<{ id: string }>`select id from flow_run where "workspace" = ${db.workspace} and state_type = 'PAUSED'
      and ${db.dialect.oneOf(sql`id`, ids, 'uuid')}`,
  );
}

/**
 * Deletes a run that an earlier import copied before it had ended, or that was to start here but has begun in the
 * source, so that it is imported again.
 */
const dropUnfinished = statement<{ id: string; updated: Timestamp; state_type: string | null }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where "workspace" = ${given.workspace} and id = ${given.id} and updated < ${given.updated}
      and (state_type in ('RUNNING', 'PAUSED', 'CANCELLING')
        or (state_type = 'SCHEDULED' and run_count = 0 and ${given.state_type} not in ('SCHEDULED', 'PENDING')))`,
);

const AGAIN = 'Their schedules create them again here.';
const TAKEN = 'A worker of the source has taken them. Run the import again when they have ended.';
const LATER = 'An import with --activate adds them, so that none starts in both places.';

/**
 * Imports runs that have not begun: those that a person scheduled, overdue runs of schedules, and runs that resume
 * later. They are imported only if the import activates what it brings, and start when they are due.
 */
export async function importWaitingRuns(given: Import): Promise<void> {
  const { source, target, activates } = given;
  for await (const batch of source.waitingRuns(target.isDry)) {
    const now = target.clock.now();
    const wanted = new Set<SourceObject>();
    for (const run of batch.runs) {
      const due = parseDateTime(String(run['next_scheduled_start_time'] ?? run['expected_start_time']));
      const isOverdue = due === undefined || due <= now;
      const comesAgain = run['auto_scheduled'] === true && numberIn(run['run_count']) === 0 && !isOverdue;
      if (run['state_type'] === 'PENDING') target.leave('flow runs that are pending', 1, TAKEN);
      else if (comesAgain) target.leave('flow runs that schedules made ahead', 1, AGAIN);
      else if (!activates) target.leave('flow runs that are scheduled or overdue', 1, LATER);
      else {
        wanted.add(run);
        if (isOverdue) target.overdueRuns++;
      }
    }
    if (wanted.size > 0) await importRuns(given, only(batch, wanted));
  }
}

function only(batch: RunBatch, wanted: ReadonlySet<SourceObject>): RunBatch {
  const isWanted = (_: unknown, index: number) => wanted.has(batch.runs[index] ?? {});
  return {
    ...batch,
    runs: batch.runs.filter(isWanted),
    states: async () => (await batch.states()).filter(isWanted),
  };
}

function numberIn(value: unknown): number {
  return Number(isRawNumber(value) ? numberOf(value) : value) || 0;
}

/** Imports task runs without a flow run. */
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

/** The id of rows that are only read, never stored. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** The columns of a run that repeat its state. */
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
