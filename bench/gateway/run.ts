/**
 * Compares a call through the gateway with a call through a bare proxy, built from the same parts, to the same
 * upstream. Both are measured in alternating rounds of one run. The gateway checks key, role and policy and records
 * each request; the bare proxy does nothing. The same calls also go through a remix of the server.
 *
 *   node bench/gateway/run.ts --database sqlite --clients 1,8,32 --operations call,list --seconds 3 --rounds 3 --streams 2000
 *
 * On Linux the measured process has a core of its own (`taskset`); upstream and load share the other.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startReplicas } from '../replicas.ts';
import { type Administrate, administratorOf, residentBytes, startProgram } from './parts.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    clients: { type: 'string', default: '1,8,32' },
    operations: { type: 'string', default: 'call,list' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    streams: { type: 'string', default: '0' },
  },
});
const TICKS_PER_SECOND = 100;
const [measuredCore, otherCore] = ['1', '0'];

interface Turn {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly median: number;
  readonly errors: number;
}

type Measured = 'bare' | 'gateway' | 'remix';

interface Target {
  readonly url: string;
  readonly pid: number;
}

function pin(pid: number, core: string): void {
  spawnSync('taskset', ['-a', '-p', '-c', core, String(pid)]);
}

function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND;
}

async function measure({ url, pid }: Target, key: string, clients: string, operation: string): Promise<Turn> {
  const argv = [join(import.meta.dirname, 'load.mjs'), url, key, clients, values.seconds, operation];
  const load = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  pin(load.pid ?? 0, otherCore);
  let before = 0;
  for await (const line of createInterface(load.stdout)) {
    if (line === 'begin') before = cpuMicroseconds(pid);
    else {
      const { requests, perSecond, median, errors } = JSON.parse(line);
      return { perSecond, median, errors, cpuMicroseconds: (cpuMicroseconds(pid) - before) / requests };
    }
  }
  throw new Error('The load generator ended without a result.');
}

/** A member that uses a service account's key, under a policy that allows some of the tools. */
async function prepare(administrate: Administrate, upstream: string): Promise<string> {
  await administrate('POST', '/servers', {
    slug: 'bench',
    name: 'Bench',
    kind: 'external',
    defaultRole: 'viewer',
    external: { url: upstream },
  });
  await administrate('POST', '/servers', {
    slug: 'bench-remix',
    name: 'Bench remix',
    kind: 'remix',
    defaultRole: 'viewer',
    remix: { sources: [{ server: 'bench', tools: [{ name: 'echo' }, { name: 'tool_01', as: 'other' }] }] },
  });
  const allow = (pattern: string) => ({ role: 'viewer', capability: 'tool', pattern, effect: 'allow' });
  for (const slug of ['bench', 'bench-remix']) {
    await administrate('PUT', `/servers/${slug}/policy`, { rules: [allow('echo'), allow('tool_0*')] });
  }
  return (await administrate('POST', '/service-accounts', { name: 'bench' })).secret ?? '';
}

function openStreams(url: string, key: string, count: number): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const opened = Array.from({ length: count }, async () => {
    const [response] = await once(request({ hostname, port, path: pathname, headers, agent: false }).end(), 'response');
    response.resume();
    await once(response, 'data');
  });
  return Promise.all(opened).then(() => {});
}

const best = (turns: readonly Turn[], of: (turn: Turn) => number, pick: (...all: number[]) => number) =>
  pick(...turns.map(of));

const upstream = await startProgram('upstream.mjs');
pin(upstream.pid, otherCore);
const proxy = await startProgram('bare-proxy.mjs', upstream.origin);
pin(proxy.pid, measuredCore);
const bare: Target = { url: `${proxy.origin}/mcp`, pid: proxy.pid };
const replicas = await startReplicas(1, values.database);
try {
  const pid = replicas.pids[0] ?? 0;
  pin(pid, measuredCore);
  const key = await prepare(administratorOf(replicas), `${upstream.origin}/mcp`);
  const gateway = { url: `${replicas.urls[0]}/servers/default/bench/mcp`, pid };
  const remix = { url: `${replicas.urls[0]}/servers/default/bench-remix/mcp`, pid };
  for (const operation of values.operations.split(',')) {
    for (const clients of values.clients.split(',')) {
      const turns: Record<Measured, Turn[]> = { bare: [], gateway: [], remix: [] };
      for (let round = 0; round < Number(values.rounds); round++) {
        turns.bare.push(await measure(bare, key, clients, operation));
        turns.gateway.push(await measure(gateway, key, clients, operation));
        turns.remix.push(await measure(remix, key, clients, operation));
      }
      const told = (name: Measured) => {
        const of = turns[name];
        const errors = of.reduce((sum, turn) => sum + turn.errors, 0);
        return `${name} ${best(of, (turn) => turn.perSecond, Math.max)}/s, ${best(of, (turn) => turn.cpuMicroseconds, Math.min).toFixed(1)} µs CPU, p50 ${best(of, (turn) => turn.median, Math.min).toFixed(2)} ms, ${errors} errors`;
      };
      const rate = (name: Measured) => best(turns[name], (turn) => turn.perSecond, Math.max);
      const cost = (name: Measured) => best(turns[name], (turn) => turn.cpuMicroseconds, Math.min);
      const share = ((100 * rate('gateway')) / rate('bare')).toFixed(0);
      console.log(
        `${operation}, ${clients} clients: ${told('bare')} | ${told('gateway')} | ${share} % of the bare rate | ${told('remix')} | ${(cost('remix') / cost('gateway')).toFixed(2)} × the CPU of a plain call`,
      );
    }
  }
  const streams = Number(values.streams);
  if (streams > 0) {
    await openStreams(gateway.url, key, streams);
    console.log(`${streams} open streams: ${Math.round(residentBytes(pid) / 1024 / 1024)} MB resident`);
  }
} finally {
  upstream.end();
  proxy.end();
  await replicas.stop();
}
process.exit(0);
