/**
 * Measures the processor time of the most frequent reads (a run, a page of 200 runs, a count, the poll of an empty
 * pool) beside `limit.ts`, which does the least work that answers them, in alternating rounds. `--beside` adds the
 * bundle of another checkout (`server/dist/main.js`), so that one run compares two versions.
 *
 *   node bench/reads.ts --database postgres
 *
 * Figures are milliseconds of processor time for one request, medians of the rounds: of the server with its own
 * processes, and of PostgreSQL. Ratios are medians of the ratios in each round, because the speed of a shared machine
 * changes from second to second; hence many short rounds.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the server has it.
import pg from 'pg';
import { startPostgres } from '../server/test/support/postgres.ts';
import { type Contender, startReadLimit, startSignalbox } from './contenders.ts';
// @ts-expect-error The driver of the load has no types.
import { closedLoop } from './load/driver/client.mjs';
// @ts-expect-error The driver of the load has no types.
import { procCpuMs } from './load/driver/stats.mjs';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    runs: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.5' },
    clients: { type: 'string', default: '8' },
    only: { type: 'string', default: 'one,page,count,poll' },
    beside: { type: 'string' },
  },
});
const POOL = 'bench-pool';
const DAY_MILLISECONDS = 86_400_000;
const states = ['COMPLETED', 'FAILED', 'CRASHED'];

interface Run {
  readonly id: string;
  readonly state_type: string;
  readonly start_time: string | null;
  readonly expected_start_time: string;
}

async function ask(server: Contender, path: string, body?: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}

/** Each run as the server answers it, so that both servers send the same bytes. */
async function runsOf(server: Contender) {
  const runs: (Run & { readonly pool: null; readonly json: string })[] = [];
  for (let offset = 0; offset < Number(values.runs); offset += 200) {
    const page: Run[] = JSON.parse(await ask(server, '/flow_runs/filter', { limit: 200, offset, sort: 'ID_DESC' }));
    const texts = await Promise.all(page.map(({ id }) => ask(server, `/flow_runs/${id}`)));
    runs.push(...page.map((run, index) => ({ ...run, pool: null, json: texts[index]! })));
  }
  return runs;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function requestsFor(id: string): Record<string, Request> {
  const before_ = new Date().toISOString();
  const after_ = new Date(Date.now() - DAY_MILLISECONDS).toISOString();
  return {
    one: { method: 'GET', path: `/flow_runs/${id}` },
    page: {
      method: 'POST',
      path: '/flow_runs/filter',
      body: { limit: 200, sort: 'START_TIME_DESC', flow_runs: { state: { type: { any_: states } } } },
    },
    count: {
      method: 'POST',
      path: '/flow_runs/count',
      body: { flow_runs: { expected_start_time: { after_, before_ } } },
    },
    poll: {
      method: 'POST',
      path: `/work_pools/${POOL}/get_scheduled_flow_runs`,
      body: { scheduled_before: before_ },
    },
  };
}

/** Processor time of a request, in milliseconds. */
interface Cost {
  readonly server: number;
  readonly database: number;
  /** Length of the answer. */
  readonly bytes: number;
}

let isMeasuring = false;

/**
 * Keeps this process awake. Waking a process that waits for its answer costs the sender some 25 µs, which the slower of
 * two servers would pay for each answer, and the faster one, for which answers already wait, would not.
 */
function stayAwake(): void {
  if (isMeasuring) setImmediate(stayAwake);
}

async function measure(server: Contender, request: Request, seconds: number): Promise<Cost> {
  let bytes = 0;
  const context = {
    url: server.url,
    headers: [],
    pids: [],
    timeoutMs: 30_000,
    num: (_name: string, usual: number) => usual,
  };
  isMeasuring = true;
  stayAwake();
  const before = [procCpuMs(server.pids), procCpuMs(databasePids)];
  const result = await closedLoop(context, {
    clients: Number(values.clients),
    durationMs: seconds * 1000,
    body: async (
      client: { call: (method: string, path: string, body: unknown) => Promise<{ status: number; body: Buffer }> },
      _state: unknown,
      record: (kind: string, ms: number, ok: boolean) => void,
    ) => {
      const answer = await client.call(request.method, request.path, request.body);
      bytes = answer.body.length;
      record('read', 0, answer.status === 200);
    },
  });
  isMeasuring = false;
  if (result.errors > 0) throw new Error(`${request.path}: ${JSON.stringify(result.error_samples)}`);
  const spent = [procCpuMs(server.pids), procCpuMs(databasePids)].map(
    (after, index) => ((after ?? 0) - (before[index] ?? 0)) / result.iterations,
  );
  return { server: spent[0]!, database: spent[1]!, bytes };
}

function median(samples: readonly number[]): number {
  return samples.toSorted((left, right) => left - right)[Math.floor((samples.length - 1) / 2)]!;
}

/** The first process of the PostgreSQL server; its connections are processes below it. */
async function postmaster(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const [, parent] = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8')) ?? [];
  await client.end();
  return Number(parent);
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-reads-'));
const postgres = values.database === 'postgres' ? await startPostgres({ durable: true }) : undefined;
const databasePids = postgres ? [await postmaster(postgres.url)] : [];
const contenders: Record<string, Contender> = {};
try {
  const runs = Number(values.runs);
  const seeded = await postgres?.createDatabase();
  contenders['signalbox'] = await startSignalbox(folder, seeded, runs);
  if (values.beside)
    contenders['beside'] = await startSignalbox(folder, await postgres?.createDatabase(), runs, values.beside);
  contenders['limit'] = await startReadLimit(folder, await postgres?.createDatabase());
  const stored = await runsOf(contenders['signalbox']);
  await ask(contenders['limit'], '/runs', stored);
  const sample: Record<string, string> = {};
  for (const [name, server] of Object.entries(contenders)) {
    if (name !== 'limit') await ask(server, '/work_pools/', { name: POOL, type: 'process', base_job_template: {} });
    const page: Run[] = JSON.parse(
      await ask(server, '/flow_runs/filter', { limit: 1, flow_runs: { state: { type: { any_: states } } } }),
    );
    sample[name] = page[0]!.id;
  }
  for (const read of values.only.split(',')) {
    const costs: Record<string, Cost[]> = {};
    for (let round = -1; round < Number(values.rounds); round++) {
      for (const [name, server] of Object.entries(contenders)) {
        const cost = await measure(server, requestsFor(sample[name]!)[read]!, Number(values.seconds));
        // The first round warms up.
        if (round >= 0) {
          costs[name] ??= [];
          costs[name].push(cost);
        }
      }
    }
    report(read, costs);
  }
} finally {
  for (const server of Object.values(contenders)) await server.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function report(read: string, costs: Record<string, Cost[]>): void {
  console.log(`\n${read}, ${costs['signalbox']?.[0]?.bytes} bytes`);
  const of = (name: string, part: (cost: Cost) => number) => median(costs[name]!.map(part));
  const ratioOf = (name: string, part: (cost: Cost) => number) =>
    median(costs[name]!.map((cost, round) => part(cost) / part(costs['limit']![round]!))).toFixed(2);
  for (const name of Object.keys(costs)) {
    const server = of(name, (cost) => cost.server).toFixed(3);
    const database = postgres ? `  database ${of(name, (cost) => cost.database).toFixed(3)}` : '';
    const ratio = `${ratioOf(name, (cost) => cost.server)} x the limit`;
    const both = postgres ? `, with the database ${ratioOf(name, (cost) => cost.server + cost.database)} x` : '';
    console.log(`  ${name.padEnd(10)} ${server} ms${database}  ${ratio}${both}`);
  }
}
