/**
 * What a call through the gateway costs, against a bare proxy of the same parts to the same upstream, in turns of one
 * sitting. The gateway decides by key, role and policy and records each request; the bare proxy does nothing.
 *
 *   node bench/gateway/run.ts --database sqlite --clients 1,8,32 --operations call,list --seconds 3 --rounds 3 --streams 2000
 *
 * On Linux the measured process has one core for itself (`taskset`); upstream and load share the other.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Replicas, startReplicas } from '../replicas.ts';

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

interface Target {
  readonly url: string;
  readonly pid: number;
}

const children: ChildProcess[] = [];

/** Starts a script of this folder, which prints the port that it listens on. */
async function startScript(core: string, script: string, ...argv: string[]): Promise<Target> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  pin(child.pid ?? 0, core);
  const [port] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}/mcp`, pid: child.pid ?? 0 };
}

function pin(pid: number, core: string): void {
  spawnSync('taskset', ['-a', '-p', '-c', core, String(pid)]);
}

function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
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
  throw new Error('The load ended without a result.');
}

/** A member with a service account's key, under a policy that lets it use some of the tools. */
async function prepare({ urls: [url = ''], key }: Replicas, upstream: string): Promise<string> {
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${url}/api/v0/organizations/default${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json() as Promise<{ secret?: string }>;
  };
  await call('POST', '/servers', {
    slug: 'bench',
    name: 'Bench',
    kind: 'external',
    defaultRole: 'viewer',
    external: { url: upstream },
  });
  const allow = (pattern: string) => ({ role: 'viewer', capability: 'tool', pattern, effect: 'allow' });
  await call('PUT', '/servers/bench/policy', { rules: [allow('echo'), allow('tool_0*')] });
  return (await call('POST', '/service-accounts', { name: 'bench' })).secret ?? '';
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

const upstream = await startScript(otherCore, 'upstream.mjs');
const bare = await startScript(measuredCore, 'bare-proxy.mjs', new URL(upstream.url).origin);
const replicas = await startReplicas(1, values.database);
try {
  const pid = replicas.pids[0] ?? 0;
  pin(pid, measuredCore);
  const key = await prepare(replicas, upstream.url);
  const gateway = { url: `${replicas.urls[0]}/servers/default/bench/mcp`, pid };
  for (const operation of values.operations.split(',')) {
    for (const clients of values.clients.split(',')) {
      const turns: Record<'bare' | 'gateway', Turn[]> = { bare: [], gateway: [] };
      for (let round = 0; round < Number(values.rounds); round++) {
        turns.bare.push(await measure(bare, key, clients, operation));
        turns.gateway.push(await measure(gateway, key, clients, operation));
      }
      const told = (name: 'bare' | 'gateway') => {
        const of = turns[name];
        const errors = of.reduce((sum, turn) => sum + turn.errors, 0);
        return `${name} ${best(of, (turn) => turn.perSecond, Math.max)}/s, ${best(of, (turn) => turn.cpuMicroseconds, Math.min).toFixed(1)} µs CPU, p50 ${best(of, (turn) => turn.median, Math.min).toFixed(2)} ms, ${errors} errors`;
      };
      const rate = (name: 'bare' | 'gateway') => best(turns[name], (turn) => turn.perSecond, Math.max);
      const share = ((100 * rate('gateway')) / rate('bare')).toFixed(0);
      console.log(
        `${operation}, ${clients} clients: ${told('bare')} | ${told('gateway')} | ${share} % of the bare rate`,
      );
    }
  }
  const streams = Number(values.streams);
  if (streams > 0) {
    await openStreams(gateway.url, key, streams);
    console.log(`${streams} open streams: ${residentMegabytes(pid).toFixed(0)} MB resident`);
  }
} finally {
  for (const child of children) child.kill();
  await replicas.stop();
}
process.exit(0);
