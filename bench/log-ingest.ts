/**
 * Measures what the index of words adds to the processor time of storing log lines: two servers, with the index and without
 * it, take the same batches in turns. Counts the processes of PostgreSQL. Linux.
 *
 *   node bench/log-ingest.ts --database postgres --batches 20,200,1000
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newTimeOrderedId } from '../server/src/values/id.ts';
import { startOwnPostgres } from '../server/test/support/postgres.ts';
import { type Contender, startSignalbox } from './contenders.ts';
import { messageAt } from './log-messages.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    /** Lines that a program sends at once. */
    batches: { type: 'string', default: '20,200,1000' },
    lines: { type: 'string', default: '40000' },
    rounds: { type: 'string', default: '9' },
    clients: { type: 'string', default: '8' },
  },
});
const [lines, rounds, clients] = [values.lines, values.rounds, values.clients].map(Number) as [number, number, number];
const TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'signalbox-log-ingest-'));
const postgres = values.database === 'postgres' ? await startOwnPostgres() : undefined;
const indexes = ['true', 'false'] as const;
const servers: Contender[] = [];
for (const index of indexes) {
  process.env['SIGNALBOX_LOG_SEARCH_INDEX'] = index;
  servers.push(await startSignalbox(folder, await postgres?.createDatabase()));
}

/** Milliseconds of processors that a process and its ended children have used. */
function usedBy(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) * 1000) / TICKS_PER_SECOND;
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

function usedFor(server: Contender): number {
  const database = postgres?.pid();
  const pids = [...server.pids, ...(database === undefined ? [] : [database, ...childrenOf(database)])];
  return pids.reduce((sum, pid) => sum + usedBy(pid), 0);
}

let made = 0;
function batchOf(size: number): string {
  const flow_run_id = newTimeOrderedId();
  const batch = Array.from({ length: size }, () => {
    const message = messageAt(made++);
    return { name: 'prefect.flow_runs', level: 20, message, timestamp: new Date().toISOString(), flow_run_id };
  });
  return JSON.stringify(batch);
}

const agent = new Agent({ keepAlive: true });
function send(server: Contender, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = request(`${server.url}/logs/`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      if (answer.statusCode === 201) answer.once('end', resolve);
      else reject(new Error(`status ${answer.statusCode}`));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Microseconds of processors for a line. */
async function round(server: Contender, size: number): Promise<number> {
  const bodies = Array.from({ length: Math.ceil(lines / size) }, () => batchOf(size));
  const before = usedFor(server);
  const client = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await send(server, body);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return ((usedFor(server) - before) * 1000) / lines;
}

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)]!;
for (const size of values.batches.split(',').map(Number)) {
  const took: [number[], number[]] = [[], []];
  // The first round compiles the code, and does not count.
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [index, server] of servers.entries()) {
      const microseconds = await round(server, size);
      if (turn > 0) took[index as 0 | 1].push(microseconds);
    }
  }
  const [with_, without] = [median(took[0]), median(took[1])];
  console.log(
    `${values.database}, batches of ${size}: ${with_.toFixed(1)} µs a line with the index, ${without.toFixed(1)} µs without it (${(with_ / without).toFixed(2)} ×)`,
  );
}
agent.destroy();
for (const server of servers) await server.stop();
await postgres?.stop();
rmSync(folder, { recursive: true, force: true });
