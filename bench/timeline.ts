/**
 * Measures the timeline and the graph of a flow run with 10,000 task runs in Chromium: the time until each is drawn, and
 * the frames while it is dragged and scrolled. Measures the timeline with a row for each task, then with tasks of one
 * name folded. The graph has ten layers, and each task takes two results of the layer before.
 *
 *   node bench/timeline.ts
 *   node bench/timeline.ts --tasks 2000
 */
import { rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the dashboard has it.
import { chromium, type Page } from '@playwright/test';
import { startServer } from '../dashboard/test/running-server.ts';
import { openStore } from '../server/src/database/opening/connect.ts';
import type { NewRow, TableName } from '../server/src/database/tables/tables.ts';
import { ensureDefaultWorkspace } from '../server/src/database/workspaces.ts';
import { newId } from '../server/src/values/id.ts';
import type { JsonText } from '../server/src/values/json.ts';
import { addSeconds, systemClock, type Timestamp } from '../server/src/values/time.ts';
import { framesOf, textOfFrames } from './frames.ts';

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '10000' } } });
const tasks = Number(values.tasks);
const home = join(tmpdir(), `signalbox-timeline-${process.pid}`);
const LAYERS = 10;
const empty = '{}' as JsonText;
const policy =
  '{"max_retries":0,"retry_delay_seconds":0.0,"retries":null,"retry_delay":null,"pause_keys":[],"resuming":false,"retry_type":null}' as JsonText;
const taskPolicy =
  '{"max_retries":0,"retry_delay_seconds":0.0,"retries":null,"retry_delay":null,"retry_jitter_factor":null}' as JsonText;

/** Runs in the page: the time when the canvas got its first bar or node, or false. */
const DRAWN_AT = `(() => {
  const canvas = document.querySelector('section[aria-label=Timeline] canvas, section[aria-label=Graph] canvas');
  if (!canvas || canvas.width === 0) return false;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value) => value > 0) && Math.round(performance.now());
})()`;

const first = await startServer(home);
await first.stop();
const runs = {
  'a row for each': await seed((index) => `step_${Math.floor(index / 5)}-${(index % 5).toString(16)}`),
  'folded by name': await seed((index) => `step_${index % 10}-${index.toString(16)}`),
};
const server = await startServer(home);
const executablePath = process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const visit = await browser.newPage();
  await visit.goto(`${server.url}/runs`);
  await visit.getByText('No runs in this time').or(visit.getByRole('table')).first().waitFor();
  await visit.close();
  console.log(`${tasks} task runs; load ${loadavg()[0]?.toFixed(1)} before`);
  for (const [name, id] of Object.entries(runs)) {
    // The page's content policy blocks code from strings, which the measurements need.
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
    const drawn = await open(page, `${server.url}/runs/flow-run/${id}`);
    const drag = await framesOf(page, () => dragCanvas(page, 'Timeline', 2));
    const scroll = await framesOf(page, () => scrollTimeline(page));
    console.log(`${name}: drawn after ${drawn} ms; drag ${textOfFrames(drag)}; scroll ${textOfFrames(scroll)}`);
    await page.close();
  }
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  const drawn = await open(page, `${server.url}/runs/flow-run/${runs['folded by name']}?view=graph`);
  const zoomedIn = await framesOf(page, () => dragCanvas(page, 'Graph', 2));
  await page.getByRole('button', { name: 'Zoom in (+)' }).click({ clickCount: 2 });
  const named = await framesOf(page, () => dragCanvas(page, 'Graph', 1));
  console.log(`graph: drawn after ${drawn} ms; drag ${textOfFrames(zoomedIn)}; with names ${textOfFrames(named)}`);
  await page.close();
  console.log(`load ${loadavg()[0]?.toFixed(1)} after`);
} finally {
  await browser.close();
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

/** Milliseconds from the start of the navigation until the canvas has bars. */
async function open(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  const drawn = await page.waitForFunction(DRAWN_AT);
  return (await drawn.jsonValue()) as number;
}

/** `zooms`: how often it is zoomed in before. */
async function dragCanvas(page: Page, section: 'Timeline' | 'Graph', zooms: number): Promise<void> {
  await page.getByRole('button', { name: 'Zoom in (+)' }).click({ clickCount: zooms });
  const box = await page.locator(`section[aria-label=${section}] canvas`).boundingBox();
  if (!box) throw new Error(`The ${section} has no canvas.`);
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 20, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, middle, { steps: 150 });
  await page.mouse.up();
}

async function scrollTimeline(page: Page): Promise<void> {
  for (let step = 0; step < 150; step++) await page.mouse.wheel(0, 120);
}

/** Writes a one-hour run whose tasks overlap; one in a hundred has failed. */
async function seed(nameOf: (index: number) => string): Promise<string> {
  const store = await openStore(`sqlite:${join(home, 'signalbox.db')}`);
  const workspace = await ensureDefaultWorkspace(store, systemClock);
  const now = systemClock.now();
  const begin = addSeconds(now, -3600);
  const rows: [TableName, object][] = [];
  const add = <Name extends TableName>(table: Name, row: NewRow<Name>) => rows.push([table, { workspace, ...row }]);
  const flow = newId();
  const id = newId();
  const stamps = { created: begin, updated: now };
  add('flow', { id: flow, name: `timeline ${flow}`, ...stamps, tags: '[]' as JsonText, labels: empty, removed: null });
  add('flow_run', {
    id,
    ...stamps,
    name: 'timeline',
    flow_id: flow,
    state_id: null,
    deployment_id: null,
    deployment_version: null,
    work_queue_id: null,
    work_queue_name: null,
    flow_version: null,
    parameters: empty,
    idempotency_key: null,
    context: empty,
    empirical_policy: policy,
    tags: '[]' as JsonText,
    labels: empty,
    parent_task_run_id: null,
    state_type: 'COMPLETED',
    state_name: 'Completed',
    state_timestamp: now,
    run_count: 1,
    expected_start_time: begin,
    next_scheduled_start_time: null,
    start_time: begin,
    end_time: now,
    total_run_time: 3600,
    auto_scheduled: false,
    infrastructure_document_id: null,
    infrastructure_pid: null,
    created_by: null,
    job_variables: empty,
  });
  const ids = Array.from({ length: tasks }, () => newId());
  for (let index = 0; index < tasks; index++) {
    const start = addSeconds(begin, (index / tasks) * 3500);
    const end = addSeconds(start, 1 + (index % 97));
    const failed = index % 100 === 99;
    add('task_run', {
      ...taskRun(id, nameOf(index), index, { start, end, failed }),
      id: ids[index] as string,
      task_inputs: inputsOf(index, ids),
    });
  }
  await store.transaction(workspace, async (tx) => {
    for (const [table, row] of rows) await tx.execute(tx.dialect.builder.insertInto(table).values(row as never));
  });
  await store.close();
  return id;
}

function inputsOf(index: number, ids: readonly string[]): JsonText {
  const layer = Math.ceil(tasks / LAYERS);
  const givers = ids.slice(Math.max(0, index - layer), Math.max(0, index - layer + 2));
  return JSON.stringify({ rows: givers.map((id) => ({ input_type: 'task_run', id })) }) as JsonText;
}

interface Times {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly failed: boolean;
}

function taskRun(flow_run_id: string, name: string, index: number, { start, end, failed }: Times) {
  return {
    created: start,
    updated: end,
    name,
    flow_run_id,
    task_key: 'step',
    dynamic_key: String(index),
    cache_key: null,
    cache_expiration: null,
    task_version: null,
    empirical_policy: taskPolicy,
    tags: '[]' as JsonText,
    labels: empty,
    state_id: null,
    state_type: failed ? 'FAILED' : 'COMPLETED',
    state_name: failed ? 'Failed' : 'Completed',
    state_timestamp: end,
    run_count: 1,
    flow_run_run_count: 1,
    expected_start_time: start,
    next_scheduled_start_time: null,
    start_time: start,
    end_time: end,
    total_run_time: 1,
  };
}
