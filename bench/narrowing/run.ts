/**
 * Measures lists of runs that people narrow: the page, the counts above it and the values of a field, for each chip
 * alone, and for drawn pairs and triples; and Home and the inbox. Fills a database first, unless `--folder` has one from before.
 *
 *   node bench/narrowing/run.ts --database postgres --runs 1000000
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres, vacuum } from '../../server/test/support/postgres.ts';
import { startSignalbox } from '../contenders.ts';
import { fill } from './fill.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    runs: { type: 'string', default: '1000000' },
    /** Requests for each chip. */
    rounds: { type: 'string', default: '10' },
    pairs: { type: 'string', default: '40' },
    triples: { type: 'string', default: '40' },
    /** Where the database of SQLite is kept for the next measurement. */
    folder: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const DAY_MILLISECONDS = 86_400_000;
const INTERVALS = 60;
const INBOX = '/views/failure_causes';

interface Chip {
  readonly field: string;
  readonly not?: boolean;
  readonly values: readonly string[];
}

const chips: Readonly<Record<string, Chip>> = {
  'a flow': { field: 'flow', values: ['flow-7'] },
  'three flows': { field: 'flow', values: ['flow-7', 'flow-8', 'flow-9'] },
  'not a flow': { field: 'flow', not: true, values: ['flow-7'] },
  'a deployment': { field: 'deployment', values: ['flow-7/deployment-1'] },
  'a work pool': { field: 'work_pool', values: ['pool-3'] },
  'a work queue': { field: 'work_queue', values: ['pool-3/default'] },
  'a tag of half': { field: 'tag', values: ['prod'] },
  'a tag of 0.1 %': { field: 'tag', values: ['customer-77'] },
  'a rare tag': { field: 'tag', values: ['rare'] },
  'not a tag': { field: 'tag', not: true, values: ['prod'] },
  failed: { field: 'state', values: ['failed', 'crashed'] },
  'any attempt failed': { field: 'failed', values: ['yes'] },
  'not completed': { field: 'state', not: true, values: ['completed'] },
  'late, none': { field: 'state', values: ['late'] },
  'second tries': { field: 'tries', values: ['>=2'] },
  'many tries, none': { field: 'tries', values: ['>=9'] },
  'long ones': { field: 'duration', values: ['>=4900'] },
  'a parameter': { field: 'parameter', values: ['customer=c77'] },
  'a parameter, none': { field: 'parameter', values: ['customer=nobody'] },
  'a cause': { field: 'cause', values: ['ValueError: cause d of row …'] },
  'a cause, none': { field: 'cause', values: ['nothing like it'] },
  'a name': { field: 'name', values: ['heron-77'] },
  'a name, none': { field: 'name', values: ['zebra'] },
  'no subflows': { field: 'subflow', values: ['no'] },
};
const taskChips: Readonly<Record<string, Chip>> = {
  'a flow': { field: 'flow', values: ['flow-7'] },
  'a deployment': { field: 'deployment', values: ['flow-7/deployment-1'] },
  failed: { field: 'state', values: ['failed'] },
  'a task': { field: 'task', values: ['task_3'] },
  'a name, none': { field: 'name', values: ['zebra'] },
  'second tries': { field: 'tries', values: ['>=2'] },
};

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'signalbox-narrowing-'));
mkdirSync(folder, { recursive: true });
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
const url = postgres ? await postgres.createDatabase() : `sqlite:${join(folder, 'signalbox.db')}`;
if (postgres || !existsSync(url.slice('sqlite:'.length))) {
  const began = performance.now();
  await fill(url, Number(values.runs));
  if (postgres) await vacuum(url);
  console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
const server = await startSignalbox(folder, url);
try {
  await measureAll();
} finally {
  await server.stop();
  await postgres?.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function ask(path: string, body?: object): Promise<number> {
  const began = performance.now();
  const headers = { 'content-type': 'application/json' };
  const post = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${server.url}${path}`, body && post);
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)} for ${JSON.stringify(body)}`);
  return performance.now() - began;
}

type List = 'runs' | 'task_runs';

/** The questions of a list that is narrowed: its page, its counts, and the values of a field that has none yet. */
function questionsOf(list: List, where: readonly Chip[], days: number): Readonly<Record<string, [string, object]>> {
  const [start, end] = [new Date(Date.now() - days * DAY_MILLISECONDS), new Date(Date.now() + DAY_MILLISECONDS)];
  const bounds = { after_: start, before_: end };
  const own = list === 'runs' ? { flow_runs: { start_time: bounds } } : { task_runs: { expected_start_time: bounds } };
  const body = { ...own, where };
  const free = ['tag', 'flow', 'state'].find((field) => !where.some((chip) => chip.field === field))!;
  return {
    page: [`/views/${list}`, body],
    counts: [`/views/${list}`, { ...body, limit: 1, history: { start, end, intervals: INTERVALS } }],
    values: [`/views/${list}/values`, { ...body, field: free }],
  };
}

async function measure(list: List, name: string, picks: readonly (readonly Chip[])[]): Promise<void> {
  for (const days of [1, 30]) {
    const took: Record<string, number[]> = {};
    for (const where of picks) {
      for (const [question, [path, body]] of Object.entries(questionsOf(list, where, days))) {
        took[question] ??= [];
        took[question].push(await ask(path, body));
      }
    }
    const figures = Object.entries(took).map(([question, all]) => `${question} ${percentiles(all)}`);
    console.log(`${list.padEnd(9)} ${name.padEnd(18)} ${String(days).padStart(2)} d  ${figures.join('   ')}`);
  }
}

function percentiles(all: readonly number[]): string {
  const sorted = all.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(0);
  return `${at(0.5).padStart(4)} / ${at(0.95).padStart(4)}`;
}

/** The service that sorts failures by their causes has had all of them when its numbers stand still. */
async function untilSorted(): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"shelf": "open"}' };
  const count = async () => {
    const { causes } = (await (await fetch(`${server.url}${INBOX}`, init)).json()) as { causes: { count: number }[] };
    return causes.map(({ count: times }) => times).join();
  };
  for (let before = '', found = await count(); found !== before; found = await count()) {
    before = found;
    await delay(10_000);
  }
}

async function measureFirstPages(): Promise<void> {
  await untilSorted();
  const home = (days: number) => [`home, ${days} d`, `/views/home?seconds=${days * 86_400}`, undefined] as const;
  for (const [name, path, body] of [home(1), home(7), home(30), ['inbox', INBOX, { shelf: 'open' }] as const]) {
    await ask(path, body);
    const took: number[] = [];
    for (let round = 0; round < Number(values.rounds); round++) took.push(await ask(path, body));
    console.log(`${name.padEnd(33)} ${percentiles(took)}`);
  }
}

async function measureAll(): Promise<void> {
  console.log('milliseconds, p50 / p95');
  await measureFirstPages();
  let state = Number(values.seed);
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const all = Object.values(chips);
  const drawn = (count: number) =>
    all
      .map((chip) => [random(), chip] as const)
      .toSorted(([left], [right]) => left - right)
      .slice(0, count)
      .map(([, chip]) => chip);
  const times = (count: number) => Array.from({ length: count });
  const rounds = Number(values.rounds);
  for (const [name, chip] of Object.entries(chips)) {
    await ask('/views/runs', { where: [chip] });
    await measure(
      'runs',
      name,
      times(rounds).map(() => [chip]),
    );
  }
  await measure(
    'runs',
    'pairs',
    times(Number(values.pairs)).map(() => drawn(2)),
  );
  await measure(
    'runs',
    'triples',
    times(Number(values.triples)).map(() => drawn(3)),
  );
  for (const [name, chip] of Object.entries(taskChips)) {
    await measure(
      'task_runs',
      name,
      times(rounds).map(() => [chip]),
    );
  }
}
