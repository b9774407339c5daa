/**
 * Imports the runs of a real Prefect server with `signalbox import`. Kills the import five times with SIGKILL and resumes
 * it. Then compares the ids of the imported objects with those of the source.
 *
 *   SIGNALBOX_TEST_REFERENCE_PYTHON=/path/to/bin/python node bench/import.ts --runs 10000 --logs 5 --kills 5
 *
 * `--logs` is the number of lines for each run. Prints one line of JSON: the seconds of each part, and how many of
 * them the processor worked for the source, and for each kind of object how many there are, are missing and came twice.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { freePort } from '../server/test/support/free-port.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startReference } from './contenders.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    logs: { type: 'string', default: '5' },
    kills: { type: 'string', default: '5' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const PROGRAM = join(import.meta.dirname, '../server/src/main.js');
const DAYS = '40';
const KINDS = ['flow_run', 'flow_run_state', 'task_run', 'log'] as const;
type Kind = (typeof KINDS)[number];
const runs = Number(values.runs);
const kills = Number(values.kills);

const folder = await mkdtemp(join(tmpdir(), 'signalbox-import-'));
const source = await startReference(folder, undefined, runs);
const referenceHome = (await readdir(folder)).find((name) => name.startsWith('reference-')) ?? '';
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
try {
  await fillLogs(Number(values.logs));
  const databaseUrl = (await postgres?.createDatabase()) ?? `sqlite:${join(folder, 'signalbox.db')}`;
  const environment = {
    PATH: process.env['PATH'] ?? '',
    SIGNALBOX_HOME: join(folder, 'home'),
    SIGNALBOX_DATABASE_URL: databaseUrl,
  };
  await makeDatabase(environment);
  const seconds: number[] = [];
  const before = cpuSeconds();
  for (let part = 0; part <= kills; part++) {
    const began = performance.now();
    await bring(environment, part < kills ? runs / (kills + 1) : Number.POSITIVE_INFINITY);
    seconds.push(Number(((performance.now() - began) / 1000).toFixed(1)));
  }
  const total = Number(seconds.reduce((sum, part) => sum + part, 0).toFixed(1));
  const sourceCpu = cpuSeconds() - before;
  const timed = { runs, database: values.database, kills, total, seconds, sourceCpu };
  console.log(JSON.stringify({ ...timed, ...(await compare(databaseUrl)) }));
} finally {
  await source.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Imports, until so many runs of this part have been read; then the process is killed. */
async function bring(environment: Record<string, string>, until: number): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'import', '--from', source.url, '--days', DAYS, '--json'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, done = '0'] = /, (\d+) of \d+/.exec(line) ?? [];
    if (Number(done) >= until) child.kill('SIGKILL');
  }
  const [code] = child.exitCode === null && child.signalCode === null ? await once(child, 'exit') : [child.exitCode];
  if (code !== 0 && child.signalCode !== 'SIGKILL') throw new Error(said.slice(-5).join('\n'));
  if (child.signalCode !== 'SIGKILL' && until < Number.POSITIVE_INFINITY) throw new Error('It ended before the kill.');
}

/** Of the source and the processes that it started. */
function cpuSeconds(): number {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,times='], { encoding: 'utf8' });
  const own = new Set(source.pids);
  return stdout.split('\n').reduce((sum, line) => {
    const [pid = 0, parent = 0, seconds = 0] = line.trim().split(/\s+/).map(Number);
    if (!own.has(pid) && !own.has(parent)) return sum;
    own.add(pid);
    return sum + seconds;
  }, 0);
}

/** A server makes it with its first start. */
async function makeDatabase(environment: Record<string, string>): Promise<void> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'server', 'start', '--port', String(port)], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('is ready')) break;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function fillLogs(each: number): Promise<void> {
  const ids = sourceIds('flow_run');
  const lines = ids.flatMap((flow_run_id) =>
    Array.from({ length: each }, (_, index) => ({
      flow_run_id,
      name: 'prefect.flow_runs',
      level: 20,
      message: `Line ${index} of a run that says what it does, as flows do.`,
      timestamp: new Date().toISOString(),
    })),
  );
  for (let start = 0; start < lines.length; start += 500) {
    const body = JSON.stringify(lines.slice(start, start + 500));
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${source.url}/logs/`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

async function compare(
  databaseUrl: string,
): Promise<Record<string, { there: number; missing: number; twice: number }>> {
  const found: Record<string, { there: number; missing: number; twice: number }> = {};
  for (const kind of KINDS) {
    const there = sourceIds(kind, true);
    const here = idsHere(databaseUrl, kind);
    const set = new Set(here);
    const missing = there.filter((id) => !set.has(id)).length;
    found[kind] = { there: there.length, missing, twice: here.length - set.size + (set.size - there.length + missing) };
  }
  return found;
}

/** `begun`: only what belongs to runs that have begun. Task runs and logs of the others do not exist. */
function sourceIds(kind: Kind, begun = false): string[] {
  const database = new DatabaseSync(join(folder, referenceHome, 'prefect.db'), { readOnly: true });
  const ended = `(select id from flow_run where state_type not in ('SCHEDULED', 'PENDING'))`;
  const condition = !begun ? '1' : kind === 'flow_run' ? `id in ${ended}` : `flow_run_id in ${ended}`;
  const rows = database.prepare(`select id from ${kind} where ${condition}`).all();
  database.close();
  return rows.map(({ id }) => String(id).replaceAll('-', '').toLowerCase());
}

function idsHere(databaseUrl: string, kind: Kind): string[] {
  const text = `select id from ${kind}`;
  const rows = databaseUrl.startsWith('postgres')
    ? spawnSync('psql', ['-At', '-c', text, databaseUrl], { encoding: 'utf8', maxBuffer: 1e9 })
        .stdout.trim()
        .split('\n')
    : new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
        .prepare(text)
        .all()
        .map(({ id }) => id);
  return rows.map((id) => String(id).replaceAll('-', '').toLowerCase());
}
