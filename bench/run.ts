/**
 * Runs the load workloads on the real reference server and on Signalbox in alternating rounds of one run, and prints
 * ratios.
 *
 *   npm run bench -- --workloads w1,w2,w3,w5,w6,w8 --database sqlite --seconds 5 --rounds 2
 *   npm run bench -- --against limit --workloads w1,w3 --database postgres --clients 8,32
 *
 * The limit is the least that a server could do on the same database (`bench/load/limits/limit.mjs`). Beside it, the CPU
 * of PostgreSQL's processes counts as the server's.
 *
 * The reference runs on PostgreSQL where that is installed, because it locks up on SQLite with two writers. The CPU
 * column covers the server process alone. `core wait` is the time its threads were ready without a core, in % of the
 * elapsed time: above 20, read the CPU columns only.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '../server/test/support/postgres.ts';
import { type Contender, startReference, startSignalbox, startWriteLimit } from './contenders.ts';

const { values } = parseArgs({
  options: {
    workloads: { type: 'string', default: 'w1,w3,w5' },
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '2' },
    clients: { type: 'string', default: '1,8,32' },
    runs: { type: 'string', default: '10000,100000' },
    against: { type: 'string', default: 'reference' },
    'only-ours': { type: 'boolean', default: false },
  },
});
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const isAgainstLimit = values.against === 'limit';
const postgres = await startOwnPostgres();
if (!postgres)
  console.log('PostgreSQL is not installed: the reference runs on SQLite, where more than one writer locks it up.');

interface Metric {
  readonly name: string;
  readonly value: (result: Json) => number | undefined;
  /** True where more is better, so that a ratio above 1 always favours Signalbox. */
  readonly moreIsBetter?: boolean;
}
// biome-ignore lint/suspicious/noExplicitAny: the load tool's results are loose JSON
type Json = any;

function loadlab(workload: string, server: Contender, options: readonly string[]): Json {
  const databasePids = isAgainstLimit && values.database === 'postgres' ? [postgres?.pid() ?? 0] : [];
  const pids = [...server.pids, ...databasePids].flatMap((pid) => ['--pid', String(pid)]);
  const output = execFileSync(
    process.execPath,
    [join(here, 'load/loadlab.mjs'), workload, '--url', server.url, ...pids, ...options],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse(output).runs[0];
}

function median(samples: readonly (number | undefined)[]): number | undefined {
  const sorted = samples.filter((sample) => sample !== undefined).sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

function report(title: string, reference: readonly Json[], ours: readonly Json[], metrics: readonly Metric[]): void {
  console.log(`\n${title}`);
  for (const { name, value, moreIsBetter } of metrics) {
    const theirs = median(reference.map(value));
    const mine = median(ours.map(value));
    const ratio = theirs && mine ? (moreIsBetter ? mine / theirs : theirs / mine).toFixed(1) : '-';
    console.log(`  ${name.padEnd(36)} ${values.against} ${format(theirs)}   signalbox ${format(mine)}   ${ratio}x`);
  }
}

function format(value: number | undefined): string {
  return (value === undefined ? '-' : value.toFixed(value < 10 ? 3 : 1)).padStart(10);
}

const common: readonly Metric[] = [
  { name: 'operations/s', value: (result) => result.ops_per_s, moreIsBetter: true },
  { name: 'server CPU ms an operation', value: (result) => result.server_cpu_ms_per_op },
  { name: 'p50 ms', value: (result) => result.latency_ms?.p50 },
  { name: 'p95 ms', value: (result) => result.latency_ms?.p95 },
  { name: 'errors', value: (result) => result.errors },
  { name: 'core wait %', value: (result) => result.server_core_wait_pct },
];

type Start = (runs?: number) => Promise<Contender>;
const starts: { reference: Start; ours: Start } = {
  reference: async (runs) =>
    isAgainstLimit
      ? startWriteLimit(folder, values.database === 'postgres' ? await postgres?.createDatabase() : undefined)
      : startReference(folder, await postgres?.createDatabase(), runs),
  ours: async (runs) =>
    startSignalbox(folder, values.database === 'postgres' ? await postgres?.createDatabase() : undefined, runs),
};

/** The same work on both in alternation, so that a change in the machine's speed affects both. */
async function compare(
  work: (server: Contender) => Json | Promise<Json>,
  seed?: number,
): Promise<{ reference: Json[]; ours: Json[] }> {
  const results: { reference: Json[]; ours: Json[] } = { reference: [], ours: [] };
  const servers = {
    reference: values['only-ours'] ? undefined : await starts.reference(seed),
    ours: await starts.ours(seed),
  };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const side of ['reference', 'ours'] as const) {
      const server = servers[side];
      if (server) results[side].push(await work(server));
    }
  }
  await servers.reference?.stop();
  await servers.ours.stop();
  return results;
}

const workloads: Record<string, () => Promise<void>> = {
  async w1() {
    for (const clients of values.clients.split(',')) {
      const { reference, ours } = await compare((server) =>
        loadlab('w1', server, ['--clients', clients, '--duration', values.seconds]),
      );
      report(`W1 lifecycle, ${clients} clients`, reference, ours, common);
    }
  },
  async w2() {
    const medians: Record<string, Record<string, number | undefined>> = {};
    for (const runs of values.runs.split(',')) {
      const { reference, ours } = await compare(
        (server) => loadlab('w2', server, ['--reps', '30', '--mix', '0']),
        Number(runs),
      );
      for (const query of Object.keys(ours[0].queries)) {
        if (ours[0].queries[query].errors > 0) continue;
        report(`W2 ${query}, ${runs} runs`, reference, ours, [
          { name: 'p50 ms', value: (result) => result.queries[query]?.p50 },
          { name: 'server CPU ms', value: (result) => result.queries[query]?.server_cpu_ms_per_op },
        ]);
        medians[query] ??= {};
        medians[query][runs] = median(ours.map((result) => result.queries[query].min));
      }
    }
    const [few = '', many = ''] = values.runs.split(',');
    if (!many) return;
    console.log(`\nW2 growth of Signalbox from ${few} to ${many} runs (best call)`);
    for (const [query, by] of Object.entries(medians)) {
      if (by[few] && by[many])
        console.log(
          `  ${query.padEnd(36)} ${by[few].toFixed(2)} -> ${by[many].toFixed(2)} ms   ${(by[many] / by[few]).toFixed(2)}x`,
        );
    }
  },
  async w3() {
    const { reference, ours } = await compare((server) => loadlab('w3', server, ['--tasks', '400', '--timeout', '90']));
    report('W3 task-run events until visible', reference, ours, [
      {
        name: 'events/s',
        value: (result) => result.events_per_s ?? (result.events / result.all_visible_ms) * 1000,
        moreIsBetter: true,
      },
      { name: 'all visible after ms', value: (result) => result.all_visible_ms },
      {
        name: 'server CPU ms an event',
        value: (result) => result.server_cpu_ms_per_op ?? result.server_cpu_ms_per_event,
      },
      {
        name: 'lag of one event on an idle server ms',
        value: (result) => result.idle_lag_ms?.p50 ?? result.idle_lag_ms,
      },
    ]);
  },
  async w4() {
    const { reference, ours } = await compare((server) =>
      loadlab('w4', server, ['--clients', '8', '--duration', values.seconds]),
    );
    for (const [part, title] of [
      ['full', 'W4 poll of a pool with 1000 due runs, pages of 200'],
      ['empty', 'W4 poll of a pool without runs'],
    ] as const) {
      const of = (result: Json) => result[part] ?? {};
      report(title, reference.map(of), ours.map(of), [
        ...common,
        { name: 'rows of a page', value: (result) => result.rows },
        { name: 'empty answers', value: (result) => (part === 'full' ? result.empty_replies : undefined) },
      ]);
    }
  },
  async w5() {
    const { reference, ours } = await compare((server) =>
      loadlab('w5', server, ['--clients', '4', '--duration', values.seconds]),
    );
    for (const part of ['write', 'read']) {
      const of = (result: Json) => result[part] ?? {};
      report(`W5 ${part} logs`, reference.map(of), ours.map(of), common);
    }
  },
  async w6() {
    const server = await starts.ours();
    const reference = values['only-ours'] ? undefined : await starts.reference();
    await reference?.stop();
    await server.stop();
    const measure = (contender: Contender) =>
      loadlab('w6', { ...contender, pids: [] }, ['--spawn', contender.command, '--idle', '5']);
    report(
      'W6 start-up and memory',
      reference ? [measure(reference)] : [],
      [measure(server)],
      [
        { name: 'ready on an existing database ms', value: (result) => result.existing_ready_ms },
        { name: 'idle resident MiB', value: (result) => result.idle_rss_mib },
        { name: 'idle CPU %', value: (result) => result.idle_cpu_pct },
      ],
    );
  },
  async w8() {
    const { reference, ours } = await compare((server) => loadlab('w8', server, ['--deployments', '200']));
    report('W8 200 deployments until each has three runs ahead', reference, ours, [
      { name: 'one deployment ms', value: (result) => result.one_ms },
      { name: 'all, after the last was made ms', value: (result) => result.after_last_create_ms },
      { name: 'server CPU ms a deployment', value: (result) => result.server_cpu_ms_per_deployment },
      { name: 'deployments without runs', value: (result) => result.without_runs },
    ]);
  },
};

try {
  for (const name of values.workloads.split(',')) await workloads[name]?.();
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
