/**
 * Fills the database of a stopped Signalbox with runs, in the shape of `bench/load/seed/reference_seed.py`: 50 flows,
 * runs spread evenly over 30 days, four states a finished run, five task runs for each of the 2000 newest.
 *
 *   node bench/seed.ts --database-url sqlite:/path/signalbox.db --runs 100000
 */
import { parseArgs } from 'node:util';
import { openStore } from '../server/src/database/opening/connect.ts';
import type { NewRow, Row, TableName } from '../server/src/database/tables/tables.ts';
import { ensureDefaultWorkspace } from '../server/src/database/workspaces.ts';
import type { StateType } from '../server/src/orchestration/filters/field-schema.ts';
import { defaultStateName, noDetails } from '../server/src/orchestration/runs/rows/state.ts';
import { idAt, newId } from '../server/src/values/id.ts';
import type { JsonText } from '../server/src/values/json.ts';
import { addSeconds, microsecondsOf, systemClock, type Timestamp } from '../server/src/values/time.ts';
import { withoutIndexes } from './without-indexes.ts';

const { values } = parseArgs({
  options: { 'database-url': { type: 'string' }, runs: { type: 'string', default: '10000' } },
});
const runs = Number(values.runs);
const url = values['database-url'] ?? '';
const store = await openStore(url);
const workspace = await ensureDefaultWorkspace(store, systemClock);
const now = systemClock.now();

let randomState = 20261120;
/** The same numbers every time (mulberry32). */
function random(): number {
  randomState = (randomState + 0x6d2b79f5) | 0;
  let mixed = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
const adjectives =
  'determined amber quick silent brave calm eager fancy gentle happy jolly kind lively merry nice proud quiet rapid shiny tidy'.split(
    ' ',
  );
const animals =
  'zebra fox otter badger heron lynx mole newt owl panda quail raven seal tiger urchin viper walrus yak ibis gecko'.split(
    ' ',
  );
const policy =
  '{"max_retries":0,"retry_delay_seconds":0.0,"retries":null,"retry_delay":null,"pause_keys":[],"resuming":false,"retry_type":null}' as JsonText;
const taskPolicy =
  '{"max_retries":0,"retry_delay_seconds":0.0,"retries":null,"retry_delay":null,"retry_jitter_factor":null}' as JsonText;
const empty = '{}' as JsonText;
const details = (flowRun: string, taskRun: string | null) =>
  JSON.stringify({ ...noDetails, flow_run_id: flowRun, task_run_id: taskRun }) as JsonText;

const pending = new Map<TableName, object[]>();
function add<Name extends TableName>(table: Name, row: NewRow<Name>): void {
  const rows = pending.get(table) ?? [];
  pending.set(table, rows);
  rows.push({ workspace, ...row });
}

async function flush(): Promise<void> {
  await store.transaction(workspace, async (tx) => {
    for (const [table, rows] of pending) {
      for (let start = 0; start < rows.length; start += 100) {
        await tx.execute(tx.dialect.builder.insertInto(table).values(rows.slice(start, start + 100) as never));
      }
    }
  });
  pending.clear();
}

const flows = Array.from({ length: 50 }, (_, index) => ({ id: newId(), name: `loadlab-seed-${index}` }));
for (const { id, name } of flows) {
  add('flow', { id, name, created: now, updated: now, tags: '[]' as JsonText, labels: empty, removed: null });
}

async function addRuns(): Promise<void> {
  for (let index = 0; index < runs; index++) {
    addRun(index);
    if (index % 2000 === 1999) await flush();
  }
  await flush();
}

function addRun(index: number): void {
  const flow = flows[index % flows.length]!;
  const made = addSeconds(now, -(30 * 86_400 * (index / runs) + random()));
  const id = idAt(microsecondsOf(made));
  const drawn = random();
  const type =
    drawn < 0.86
      ? 'COMPLETED'
      : drawn < 0.94
        ? 'FAILED'
        : drawn < 0.96
          ? 'CRASHED'
          : drawn < 0.97
            ? 'CANCELLED'
            : drawn < 0.98
              ? 'RUNNING'
              : 'SCHEDULED';
  const seconds = -Math.log(1 - random()) * 60;
  const isScheduled = type === 'SCHEDULED';
  const expected = isScheduled ? addSeconds(now, 86_400 + index) : made;
  const start = isScheduled ? null : addSeconds(made, 2);
  const isEnded = start !== null && type !== 'RUNNING';
  const end = isEnded ? addSeconds(start, seconds) : null;
  const history: [StateType, Timestamp][] = [['SCHEDULED', made]];
  if (start) history.push(['PENDING', addSeconds(made, 1)], ['RUNNING', start]);
  if (end) history.push([type, end]);
  const states = history.map(([stateType, timestamp]) => ({
    id: idAt(microsecondsOf(timestamp)),
    type: stateType,
    timestamp,
  }));
  const last = states.at(-1)!;
  const tags = index % 2 ? ['loadlab'] : ['loadlab', 'odd'];
  const run: NewRow<'flow_run'> = {
    id,
    created: made,
    updated: last.timestamp,
    name: `${pick(adjectives)}-${pick(animals)}`,
    flow_id: flow.id,
    state_id: last.id,
    deployment_id: null,
    deployment_version: null,
    work_queue_id: null,
    work_queue_name: null,
    flow_version: null,
    parameters: `{"n":${index}}` as JsonText,
    idempotency_key: null,
    context: empty,
    empirical_policy: policy,
    tags: JSON.stringify(tags) as JsonText,
    labels: `{"prefect.flow.id":"${flow.id}"}` as JsonText,
    parent_task_run_id: null,
    state_type: type,
    state_name: defaultStateName(type),
    state_timestamp: last.timestamp,
    run_count: start ? 1 : 0,
    expected_start_time: expected,
    next_scheduled_start_time: isScheduled ? expected : null,
    start_time: start,
    end_time: end,
    total_run_time: end ? seconds : 0,
    auto_scheduled: false,
    infrastructure_document_id: null,
    infrastructure_pid: null,
    created_by: null,
    job_variables: empty,
  };
  add('flow_run', run);
  for (const tag of tags) add('flow_run_tag', { tag, flow_run_id: id });
  for (const state of states) {
    add('flow_run_state', {
      ...state,
      flow_run_id: id,
      name: defaultStateName(state.type),
      message: null,
      data: null,
      state_details: details(id, null),
    });
  }
  if (index < 2000) addTaskRuns(id, start ?? made);
}

function addTaskRuns(flowRun: string, from: Timestamp): void {
  for (let key = 0; key < 5; key++) {
    const id = newId();
    const state = newId();
    const at = addSeconds(from, key);
    const row: Omit<Row<'task_run'>, 'workspace'> = {
      id,
      created: at,
      updated: at,
      name: `task-${key}`,
      flow_run_id: flowRun,
      task_key: 'task-abc',
      dynamic_key: String(key),
      cache_key: null,
      cache_expiration: null,
      task_version: null,
      empirical_policy: taskPolicy,
      tags: '[]' as JsonText,
      labels: empty,
      task_inputs: empty,
      state_id: state,
      state_type: 'COMPLETED',
      state_name: 'Completed',
      state_timestamp: at,
      run_count: 1,
      flow_run_run_count: 1,
      expected_start_time: at,
      next_scheduled_start_time: null,
      start_time: at,
      end_time: at,
      total_run_time: 1,
    };
    add('task_run', row);
    add('task_run_state', {
      id: state,
      task_run_id: id,
      type: 'COMPLETED',
      name: 'Completed',
      timestamp: at,
      message: '',
      data: null,
      state_details: details(flowRun, id),
    });
  }
}

await withoutIndexes(url, ['flow_run', 'flow_run_state', 'flow_run_tag', 'task_run', 'task_run_state'], addRuns);
await store.close();
console.log(`seeded ${runs} runs`);
