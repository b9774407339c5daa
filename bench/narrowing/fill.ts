/** Fills a database with runs that people narrow: of many flows, deployments, pools, tags, causes and parameters. */
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the server has it.
import { sql } from 'kysely';
import { openStore } from '../../server/src/database/opening/connect.ts';
import type { Tx } from '../../server/src/database/store.ts';
import { ensureDefaultWorkspace } from '../../server/src/database/workspaces.ts';
import { defaultStateName } from '../../server/src/orchestration/runs/rows/state.ts';
import { idAt, newId } from '../../server/src/values/id.ts';
import { addSeconds, microsecondsOf, systemClock } from '../../server/src/values/time.ts';
import { withoutIndexes } from '../without-indexes.ts';

/** Rows of one transaction. */
const BATCH = 20_000;
const DAYS = 30;
const SECONDS_OF_DAY = 86_400;
const TABLES = ['flow_run', 'flow_run_state', 'flow_run_tag', 'task_run', 'task_run_state', 'task_run_tag'];

const now = systemClock.now();
const names = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);
const rowOf = (name: string) => ({ id: newId(), name });
const flows = names('flow', 50).map(rowOf);
const pools = names('pool', 10).map(rowOf);
const queues = pools.map(({ id }) => ({ ...rowOf('default'), pool: id }));
const deployments = flows.flatMap(({ id }, index) =>
  names('deployment', 2).map((name, second) => ({
    ...rowOf(name),
    flow: id,
    queue: queues[(index + second) % 10]!.id,
  })),
);
const types = [
  ...Array.from({ length: 86 }, () => 'COMPLETED' as const),
  ...Array.from({ length: 8 }, () => 'FAILED' as const),
  ...(['CRASHED', 'CRASHED', 'CANCELLED', 'RUNNING', 'SCHEDULED', 'PENDING'] as const),
];

/** The same number for the same row, and no order among rows. */
function mixed(index: number): number {
  const once = Math.imul(index ^ (index >>> 15), 0x2c1b3c6d);
  return (Math.imul(once ^ (once >>> 12), 0x297a2d39) >>> 7) % 1_000_000;
}

function runAt(index: number, of: number) {
  const random = mixed(index);
  const start = addSeconds(now, -60 - (DAYS * SECONDS_OF_DAY * index) / of);
  const type = types[random % types.length]!;
  const isWaiting = type === 'SCHEDULED' || type === 'PENDING';
  const deployment = random % 5 === 0 ? undefined : deployments[random % deployments.length];
  const id = idAt(microsecondsOf(start));
  return {
    id,
    state: idAt(microsecondsOf(start) + 1),
    name: `${['brave', 'calm', 'eager', 'quiet', 'tidy'][random % 5]}-${['fox', 'heron', 'seal', 'owl'][random % 4]}-${random % 1000}`,
    flow: deployment?.flow ?? flows[random % flows.length]!.id,
    deployment: deployment?.id ?? null,
    queue: deployment?.queue ?? null,
    type,
    state_name: defaultStateName(type),
    expected: start,
    start: isWaiting ? null : start,
    seconds: random % 5000,
    tries: isWaiting ? 0 : random % 20 === 0 ? 2 : 1,
    parent: random % 10 === 3 ? newId() : null,
    tags: JSON.stringify(tagsOf(index)),
    parameters: JSON.stringify({
      customer: `c${random % 2000}`,
      region: ['eu', 'us', 'ap'][random % 3],
      size: random % 100,
    }),
    message:
      type === 'FAILED' || type === 'CRASHED'
        ? `Flow run encountered an exception: ValueError: cause ${'abcdefghij'[random % 10]} of row ${random}`
        : null,
  };
}

function tagsOf(index: number): string[] {
  const random = mixed(index);
  return [
    `customer-${random % 1000}`,
    ...(random % 2 ? ['prod'] : []),
    ...(index % 7 === 0 ? ['daily'] : []),
    ...(index % 10_000 === 0 ? ['rare'] : []),
  ];
}

const columns = {
  id: 'uuid',
  state: 'uuid',
  name: 'text',
  flow: 'uuid',
  deployment: 'uuid',
  queue: 'uuid',
  type: 'text',
  state_name: 'text',
  expected: 'timestamp',
  start: 'timestamp',
  seconds: 'float',
  tries: 'integer',
  parent: 'uuid',
  tags: 'text',
  parameters: 'text',
  message: 'text',
} as const;

async function addRuns(tx: Tx, rows: readonly ReturnType<typeof runAt>[]): Promise<void> {
  const item = tx.dialect.rowsFrom(JSON.stringify(rows), columns);
  const own = tx.dialect.typed(tx.workspace, 'integer');
  await tx.execute(
    sql`insert into flow_run ("workspace", id, created, updated, name, flow_id, state_id, deployment_id, work_queue_id,
        parameters, context, empirical_policy, tags, labels, parent_task_run_id, state_type, state_name,
        state_timestamp, run_count, expected_start_time, next_scheduled_start_time, start_time, total_run_time,
        auto_scheduled)
      select ${own}, id, expected, expected, name, flow, state, deployment, queue, parameters, '{}', '{}', tags, '{}',
        parent, type, state_name, expected, tries, expected, case when type = 'SCHEDULED' then expected end, start,
        seconds, false
      from ${item} item`,
  );
  await tx.execute(
    sql`insert into flow_run_state ("workspace", id, flow_run_id, type, name, timestamp, message, state_details)
      select ${own}, state, id, type, state_name, expected, message, '{}' from ${item} item`,
  );
  const tagged = rows.flatMap(({ id, tags }) => (JSON.parse(tags) as string[]).map((tag) => ({ id, tag })));
  const tag = tx.dialect.rowsFrom(JSON.stringify(tagged), { id: 'uuid', tag: 'text' });
  await tx.execute(
    sql`insert into flow_run_tag ("workspace", flow_run_id, tag) select ${own}, id, tag from ${tag} item`,
  );
}

async function addTasks(tx: Tx, rows: readonly ReturnType<typeof runAt>[]): Promise<void> {
  const tasks = rows.map((row, index) => ({ ...row, task: newId(), key: `task_${index % 20}-1f3a9c2e` }));
  const item = tx.dialect.rowsFrom(JSON.stringify(tasks), { ...columns, task: 'uuid', key: 'text' });
  const own = tx.dialect.typed(tx.workspace, 'integer');
  await tx.execute(
    sql`insert into task_run ("workspace", id, created, updated, name, flow_run_id, task_key, dynamic_key,
        empirical_policy, tags, task_inputs, state_id, state_type, state_name, state_timestamp, run_count,
        flow_run_run_count, expected_start_time, start_time, total_run_time)
      select ${own}, task, expected, expected, substr(key, 1, 6) || '-0', id, key, '0', '{}', tags, '{}', task, type,
        state_name, expected, tries, 1, expected, start, seconds
      from ${item} item`,
  );
  await tx.execute(
    sql`insert into task_run_state ("workspace", id, task_run_id, type, name, timestamp, message, state_details)
      select ${own}, task, task, type, state_name, expected, message, '{}' from ${item} item`,
  );
}

async function addOwners(tx: Tx): Promise<void> {
  const own = { workspace: tx.workspace, created: now, updated: now };
  const insert = (table: string, rows: readonly object[]) =>
    tx.execute(tx.dialect.builder.insertInto(table as 'flow').values(rows.map((row) => ({ ...own, ...row })) as never));
  await insert(
    'flow',
    flows.map(({ id, name }) => ({ id, name, tags: '[]', labels: '{}' })),
  );
  await insert(
    'work_pool',
    pools.map(({ id, name }) => ({
      id,
      name,
      type: 'process',
      base_job_template: '{}',
      is_paused: sql`false`,
      storage_configuration: '{}',
      status: 'READY',
    })),
  );
  await insert(
    'work_queue',
    queues.map(({ id, name, pool }) => ({
      id,
      name,
      work_pool_id: pool,
      is_paused: sql`false`,
      priority: 1,
      description: '',
      status: 'READY',
    })),
  );
  await insert(
    'deployment',
    deployments.map(({ id, name, flow, queue }) => ({
      id,
      name,
      flow_id: flow,
      work_queue_id: queue,
      paused: sql`false`,
      tags: '[]',
      parameters: '{}',
      job_variables: '{}',
      enforce_parameter_schema: sql`false`,
      status: 'READY',
    })),
  );
}

/** `url` as in `SIGNALBOX_DATABASE_URL`; each run has a task run. */
export async function fill(url: string, runs: number): Promise<void> {
  const store = await openStore(url);
  const workspace = await ensureDefaultWorkspace(store, systemClock);
  await store.transaction(workspace, addOwners);
  await withoutIndexes(url, TABLES, async () => {
    for (let from = 0; from < runs; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, runs - from) }, (_, index) => runAt(from + index, runs));
      await store.transaction(workspace, (tx) => addRuns(tx, rows));
      await store.transaction(workspace, (tx) => addTasks(tx, rows));
    }
  });
  await store.close();
}
