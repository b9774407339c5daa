/**
 * Compares the gateway with a bare proxy of the same parts on one core, in alternating rounds of one run: the gateway
 * checks key, role and policy and records each request; the bare proxy does nothing. The same calls also go through a
 * remix of the server and, where `go` is installed, through the reverse proxy of Go's standard library.
 *
 *   node bench/gateway/run.ts
 *   node bench/gateway/run.ts --database postgres --clients 8 --operations call --rounds 5 --streams 0
 *
 * On Linux the measured process has a core of its own (`taskset`); upstream and load share the other.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startReplicas } from '../replicas.ts';
import { type Administrate, administratorOf, type Program, residentBytes, startBinary, startProgram } from './parts.ts';
import { comparison, MEASURED_CORE, medianOf, OTHER_CORE, pin, type Target, type Turn, takeTurn } from './turns.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    clients: { type: 'string', default: '1,8,32' },
    operations: { type: 'string', default: 'call,list' },
    targets: { type: 'string', default: 'bare,gateway,remix,go' },
    seconds: { type: 'string', default: '0.8' },
    rounds: { type: 'string', default: '15' },
    warm: { type: 'string', default: '5' },
    streams: { type: 'string', default: '2000' },
  },
});

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

/** Undefined without a compiler of Go. */
async function startReverseProxy(folder: string, upstream: string): Promise<Program | undefined> {
  const binary = join(folder, 'reverse-proxy');
  const source = join(import.meta.dirname, 'reverse-proxy.go');
  const { status } = spawnSync('go', ['build', '-o', binary, source], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) return undefined;
  return startBinary(binary, upstream);
}

function told(name: string, of: readonly Turn[]): string {
  const errors = of.reduce((sum, turn) => sum + turn.errors, 0);
  const [rate, cpu, p50] = [
    medianOf(of.map(({ perSecond }) => perSecond)).toFixed(0),
    medianOf(of.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(1),
    medianOf(of.map(({ median }) => median)).toFixed(3),
  ];
  return `  ${name.padEnd(8)} ${rate.padStart(6)}/s  ${cpu.padStart(6)} µs CPU  p50 ${p50} ms${errors > 0 ? `  ${errors} errors` : ''}`;
}

function compared(name: string, turns: readonly Turn[], other: string, others: readonly Turn[]): string {
  const rate = 100 * comparison(turns, others, (turn, one) => turn.perSecond / one.perSecond);
  const cpu = comparison(turns, others, (turn, one) => turn.cpuMicroseconds / one.cpuMicroseconds);
  const p50 = comparison(turns, others, (turn, one) => turn.median - one.median);
  return `  ${name} to ${other}: ${rate.toFixed(0)} % of the rate, ${cpu.toFixed(2)} × the CPU, p50 ${p50 < 0 ? '' : '+'}${p50.toFixed(3)} ms`;
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-gateway-'));
const wanted = new Set(values.targets.split(','));
const upstream = await startProgram('upstream.mjs');
const programs = [upstream];
pin(upstream.pid, OTHER_CORE);
const replicas = await startReplicas(1, values.database);
try {
  const targets = new Map<string, Target>();
  const add = (name: string, target: Target) => {
    if (wanted.has(name)) targets.set(name, target);
    pin(target.pid, MEASURED_CORE);
  };
  const proxy = await startProgram('bare-proxy.mjs', upstream.origin);
  programs.push(proxy);
  add('bare', { url: `${proxy.origin}/mcp`, pid: proxy.pid });
  const pid = replicas.pids[0] ?? 0;
  const key = await prepare(administratorOf(replicas), `${upstream.origin}/mcp`);
  const gateway = { url: `${replicas.urls[0]}/servers/default/bench/mcp`, pid };
  add('gateway', gateway);
  add('remix', { url: `${replicas.urls[0]}/servers/default/bench-remix/mcp`, pid });
  const go = wanted.has('go') ? await startReverseProxy(folder, upstream.origin) : undefined;
  if (go) {
    programs.push(go);
    add('go', { url: `${go.origin}/mcp`, pid: go.pid });
  } else if (wanted.has('go')) console.log('Go is not installed: its reverse proxy is left out.');
  const counts = values.clients.split(',').map(Number);
  for (const operation of values.operations.split(',')) {
    // A program runs at its speed once V8 has compiled what it does, and the gateway does more than the bare proxy.
    const warm = { key, clients: Math.max(...counts), operation, seconds: Number(values.warm) };
    for (const target of targets.values()) await takeTurn(target, warm);
    for (const clients of counts) {
      const turns = new Map<string, Turn[]>([...targets.keys()].map((name) => [name, []]));
      for (let round = -1; round < Number(values.rounds); round++) {
        for (const [name, target] of targets) {
          const turn = await takeTurn(target, { key, clients, operation, seconds: Number(values.seconds) });
          // The first round warms up.
          if (round >= 0) turns.get(name)!.push(turn);
        }
      }
      console.log(`${operation}, ${clients} ${clients === 1 ? 'client' : 'clients'}`);
      for (const [name, of] of turns) console.log(told(name, of));
      for (const [name, other] of [
        ['gateway', 'bare'],
        ['gateway', 'go'],
        ['remix', 'gateway'],
      ] as const) {
        const [own, others] = [turns.get(name), turns.get(other)];
        if (own && others) console.log(compared(name, own, other, others));
      }
    }
  }
  const streams = Number(values.streams);
  if (streams > 0) {
    await openStreams(gateway.url, key, streams);
    console.log(`${streams} open streams: ${Math.round(residentBytes(pid) / 1024 / 1024)} MB resident`);
  }
} finally {
  for (const program of programs) program.end();
  await replicas.stop();
  rmSync(folder, { recursive: true });
}
process.exit(0);
