/** Flow runs with their states, task runs and logs, one day of expected starts after the other. */
import { sql } from 'kysely';
import { statement } from '../database/statement.ts';
import type { Tx } from '../database/store.ts';
import { isJsonObject } from '../json.ts';
import { addSeconds, type Timestamp, wireTimestamp } from '../time.ts';
import { inBatches, mapAtOnce } from './batches.ts';
import { EMPTY_LIST, EMPTY_OBJECT, rowFrom } from './rows.ts';
import type { Source, SourceObject } from './source.ts';
import type { Import } from './step.ts';

const DAY_SECONDS = 86_400;
/** Runs whose task runs and logs are asked for together. */
const RUNS_TOGETHER = 50;
/** Requests to the source under way. */
const REQUESTS_AT_ONCE = 8;
/** Runs in these states have not begun. They stay behind: schedules make theirs again, and nothing starts twice. */
const NOT_BEGUN = new Set(['SCHEDULED', 'PENDING']);

/** One day of runs; returns the end of it. */
export async function importRunsOfDay(given: Import, from: Timestamp, end: Timestamp): Promise<Timestamp> {
  const nextDay = addSeconds(from, DAY_SECONDS);
  const until = nextDay < end ? nextDay : end;
  const body = {
    flow_runs: { expected_start_time: { after_: wireTimestamp(from), before_: wireTimestamp(until) } },
    sort: 'ID_DESC',
  };
  for await (const page of given.source.pages('/flow_runs/filter', body)) {
    const begun = page.filter((run) => !NOT_BEGUN.has(String(run['state_type'])));
    given.target.waitingRuns += page.length - begun.length;
    for (const runs of inBatches(begun, RUNS_TOGETHER)) await importRuns(given, runs);
  }
  return until;
}

async function importRuns({ source, target }: Import, runs: readonly SourceObject[]): Promise<void> {
  const ids = runs.map(({ id }) => String(id));
  const [states, taskRuns, logs] = await Promise.all([
    mapAtOnce(REQUESTS_AT_ONCE, ids, (id) => source.list(`/flow_run_states/?flow_run_id=${id}`)),
    allOf(source, '/task_runs/filter', { flow_runs: { id: { any_: ids } }, sort: 'ID_DESC' }),
    allOf(source, '/logs/filter', { logs: { flow_run_id: { any_: ids } }, sort: 'TIMESTAMP_ASC' }),
  ]);
  await target.transaction(async (tx) => {
    const rows = runs.map((run) => flowRunRow(run, target));
    await Promise.all(rows.map(({ id, updated }) => tx.run(dropUnfinished, { id, updated })));
    const added = await target.add(tx, 'flow runs', 'flow_run', rows, ['flow_id', 'idempotency_key']);
    const here = new Set(ids.filter((id) => target.idOf(id) === id));
    await addTags(
      tx,
      'flow_run_tag',
      runs.filter(({ id }) => added.has(String(id))),
    );
    const stateRows = ids.flatMap((id, index) =>
      here.has(id) ? (states[index] ?? []).map((state) => flowRunStateRow(state, id)) : [],
    );
    await target.add(tx, 'states of flow runs', 'flow_run_state', stateRows);
    await addTaskRuns(
      tx,
      target,
      taskRuns.filter((run) => here.has(String(run['flow_run_id']))),
    );
    const logRows = logs
      .filter((log) => here.has(String(log['flow_run_id'])))
      .map((log) => rowFrom('log', { ...log, created: log['created'] ?? log['timestamp'] }));
    await target.add(tx, 'logs', 'log', logRows);
  });
}

/** A run that an earlier import brought before it had ended comes again. */
const dropUnfinished = statement<{ id: string; updated: Timestamp }, unknown>(
  (_query, given) =>
    sql`delete from flow_run where "workspace" = ${given.workspace} and id = ${given.id}
      and state_type in ('RUNNING', 'PAUSED', 'CANCELLING') and updated < ${given.updated}`,
);

/** Task runs that belong to no flow run. */
export async function importBackgroundTaskRuns({ source, target, since }: Import): Promise<void> {
  const body = {
    task_runs: { flow_run_id: { is_null_: true }, expected_start_time: { after_: wireTimestamp(since) } },
    sort: 'ID_DESC',
  };
  for await (const page of source.pages('/task_runs/filter', body)) {
    const begun = page.filter((run) => !NOT_BEGUN.has(String(run['state_type'])));
    await target.transaction((tx) => addTaskRuns(tx, target, begun));
  }
}

async function addTaskRuns(tx: Tx, target: Import['target'], runs: readonly SourceObject[]): Promise<void> {
  const rows = runs.map((run) =>
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
      flow_id: target.idOf(String(run['flow_id'])),
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

/** The columns that repeat the state of a run. */
function standingOf({ state }: SourceObject) {
  const { id, type, name, timestamp } = isJsonObject(state)
    ? rowFrom('task_run_state', state, { task_run_id: '' }, { state_details: EMPTY_OBJECT })
    : { id: null, type: null, name: null, timestamp: null };
  return { state_id: id, state_type: type, state_name: name, state_timestamp: timestamp };
}

function flowRunStateRow(state: SourceObject, flow_run_id: string) {
  return rowFrom('flow_run_state', state, { flow_run_id }, { state_details: EMPTY_OBJECT });
}

async function allOf(source: Source, path: string, body: object): Promise<SourceObject[]> {
  const all: SourceObject[] = [];
  for await (const page of source.pages(path, body)) all.push(...page);
  return all;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
