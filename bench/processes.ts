/**
 * What several processes cost: processor time of one request and memory, for servers of one, two and four processes in
 * turns. `node bench/processes.ts [--counts 1,2,4] [--clients 32] [--rate 0] [--seconds 5] [--rounds 5] [--anew]`.
 * `clients` and `rate` are for each process: so many connections, and so many requests a second; as many as are answered
 * without a rate. A rate that all processes together can serve compares them at the same load, since an event loop that
 * has less to do in a turn takes more for a request. With `--anew`, each request has a connection of its own. Linux, with
 * PostgreSQL.
 */

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FaultServer } from '../server/test/faults/harness.ts';
import { pssMegabytes, servingOf } from '../server/test/faults/supervised.ts';
import { startOwnPostgres } from '../server/test/support/postgres.ts';
import { until } from '../server/test/support/until.ts';

/** Of the kernel's clock, by which `/proc` tells processor time. */
const TICKS_PER_SECOND = 100;
/** Requests of each process until its code is compiled as for a busy one. */
const WARM_REQUESTS = 5000;
const IDLE_SECONDS = 5;

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '1,2,4' },
    clients: { type: 'string', default: '32' },
    rate: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    anew: { type: 'boolean', default: false },
  },
});
const counts = values.counts.split(',').map(Number);
const [clients, rate, seconds, rounds] = [values.clients, values.rate, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];

const postgres = await startOwnPostgres();
if (!postgres) throw new Error('PostgreSQL 15 or newer is not installed here.');
const servers = new Map<number, FaultServer>();
for (const processes of counts) {
  const environment = { SIGNALBOX_PROCESSES: String(processes), SIGNALBOX_HOSTING: 'off' };
  const server = await FaultServer.start({ databaseUrl: await postgres.createDatabase(), environment });
  await until('all processes serve', () => server.output.includes('Signalbox is ready'), 120);
  servers.set(processes, server);
}

/** The supervisor, if there is one, and the processes that serve. */
function processesOf(server: FaultServer): number[] {
  return [server.pid, ...servingOf(server)];
}

/** Milliseconds of processors that the processes have used. */
function usedBy(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return (ticks.reduce((sum, one) => sum + one, 0) * 1000) / TICKS_PER_SECOND;
}

const BODY = JSON.stringify({ limit: 10 });

function ask(server: FaultServer, agent: Agent | false): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const asked = request(`${server.api}/flows/filter`, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
      answer.resume();
      answer.once('end', resolve);
    });
    asked.once('error', reject);
    asked.end(BODY);
  });
}

/** Milliseconds of processors in a second without requests. */
async function idle(server: FaultServer): Promise<number> {
  const pids = processesOf(server);
  const before = usedBy(pids);
  await delay(IDLE_SECONDS * 1000);
  return (usedBy(pids) - before) / IDLE_SECONDS;
}

async function warm(server: FaultServer): Promise<void> {
  const wanted = WARM_REQUESTS * Math.max(1, processesOf(server).length - 1);
  const agent = new Agent({ keepAlive: true });
  let begun = 0;
  const client = async () => {
    while (begun++ < wanted) await ask(server, agent);
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
}

/** Requests in a time, with the processor time of one, without that of an idle server. */
async function load(processes: number, server: FaultServer, forSeconds: number, idleMilliseconds: number) {
  const agent = values.anew ? false : new Agent({ keepAlive: true });
  const pids = processesOf(server);
  const before = usedBy(pids);
  const end = performance.now() + forSeconds * 1000;
  let requests = 0;
  const pause = rate > 0 ? (clients * 1000) / rate : 0;
  const client = async (_: unknown, number: number) => {
    let next = performance.now() + (pause * number) / (clients * processes);
    while (performance.now() < end) {
      if (pause > 0) await delay(Math.max(0, next - performance.now()));
      next += pause;
      await ask(server, agent);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: clients * processes }, client));
  if (agent) agent.destroy();
  return {
    perSecond: requests / forSeconds,
    milliseconds: (usedBy(pids) - before - idleMilliseconds * forSeconds) / requests,
  };
}

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)]!;
const measured = new Map(counts.map((processes) => [processes, [] as Awaited<ReturnType<typeof load>>[]]));
const idles = new Map<number, number>();
for (const [processes, server] of servers) {
  await warm(server);
  idles.set(processes, await idle(server));
}
for (let round = 0; round < rounds; round++) {
  for (const [processes, server] of servers)
    measured.get(processes)!.push(await load(processes, server, seconds, idles.get(processes)!));
}
const first = median(measured.get(counts[0]!)!.map(({ milliseconds }) => milliseconds));
for (const [processes, server] of servers) {
  const found = measured.get(processes)!;
  const milliseconds = median(found.map((one) => one.milliseconds));
  const perSecond = median(found.map((one) => one.perSecond));
  const memory = processesOf(server).map((pid) => pssMegabytes(pid).toFixed(0));
  console.log(
    `${processes}: ${milliseconds.toFixed(3)} ms a request (${(milliseconds / first).toFixed(2)} ×), ${perSecond.toFixed(0)} a second; idle ${idles.get(processes)!.toFixed(1)} ms a second; PSS ${memory.join(', ')} MB`,
  );
}
for (const server of servers.values()) await server.dispose();
await postgres.stop();
