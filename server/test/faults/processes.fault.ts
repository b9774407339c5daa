/**
 * A server of several processes: its connections survive restarts, and its clients the end of any process. The counts are
 * those of `docs/reliability.md`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, type FaultServer, report, sendJson } from './harness.ts';
import { HostedPrograms } from './hosted-programs.ts';
import { askAnew, connectionsOf, hostsOf, isRunning, pssMegabytes, servingOf, startSupervised } from './supervised.ts';

const RESTARTS = count(3, 50);
const CONNECTIONS = count(5000, 100_000);
const KILLS = count(3, 50);
const CLIENTS = 32;
const AGAIN_MILLISECONDS = 2000;
const GONE_SECONDS = 5;
/** Each of two processes has served for five seconds when it is its turn to be killed. */
const LONG_ENOUGH_MILLISECONDS = 3000;
const NO_POSTGRES = 'no PostgreSQL is installed';

/** Sends requests until it is stopped: each over a connection of its own, or all over one that is kept. */
class Clients {
  readonly results = new Map<string, number>();
  /** The longest time without a good answer to anybody. */
  longest = 0;
  #last = performance.now();
  #stopped = false;
  readonly #working: Promise<unknown>;

  constructor(t: TestContext, clients: number, ask: (client: number) => Promise<string>) {
    t.after(() => this.stop());
    const work = async (_: unknown, client: number) => {
      while (!this.#stopped) this.#note(await ask(client));
    };
    this.#working = Promise.all(Array.from({ length: clients }, work));
  }

  get count(): number {
    return this.results.values().reduce((sum, one) => sum + one, 0);
  }

  /** The failed ones, in words. */
  get failures(): string {
    return [...this.results].flatMap(([result, times]) => (result === '200' ? [] : [`${result}: ${times}`])).join(', ');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  #note(result: string): void {
    this.results.set(result, (this.results.get(result) ?? 0) + 1);
    if (result !== '200') return;
    const now = performance.now();
    this.longest = Math.max(this.longest, now - this.#last);
    this.#last = now;
  }
}

/** A request over a connection that is used again. */
function askOver(agent: Agent, url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(String(answer.statusCode)));
    });
    request.once('error', ({ code = 'an error' }: NodeJS.ErrnoException) => resolve(code));
  });
}

async function restart(server: FaultServer): Promise<void> {
  const from = server.output.length;
  process.kill(server.pid, 'SIGHUP');
  await until('all processes are new', () => server.output.slice(from).includes('all processes are new'), 180);
}

/** Kills one of these processes, and resolves when another one is there in its place and serves. */
async function killOne(server: FaultServer, turn: number): Promise<void> {
  const before = servingOf(server);
  process.kill(before[turn % before.length]!, 'SIGKILL');
  await until('it has ended', () => servingOf(server).some((pid) => !before.includes(pid)), 60);
  await until('another one has started', () => servingOf(server).length === before.length, 60);
}

test('no connection fails while all processes are replaced', async (t) => {
  const started = await startSupervised(t, 2);
  if (!started) return t.skip(NO_POSTGRES);
  const { server } = started;
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => {
    for (const agent of agents) agent.destroy();
  });
  const fresh = new Clients(t, CLIENTS, () => askAnew(server.port, '/api/health'));
  const kept = new Clients(t, agents.length, async (client) => {
    await delay(20);
    return askOver(agents[client]!, `${server.api}/health`);
  });
  for (let turn = 0; turn < RESTARTS; turn++) await restart(server);
  await until('enough connections were made', () => fresh.count >= CONNECTIONS, 1200);
  await Promise.all([fresh.stop(), kept.stop()]);
  report({
    test: '56',
    name: `${fresh.count} connections and ${kept.count} requests over kept ones, ${RESTARTS} restarts of 2 processes`,
    value: `failed: ${fresh.failures || 0}; over kept ones: ${kept.failures || 0}`,
    limit: '0',
  });
  assert.deepEqual([fresh.failures, kept.failures], ['', '']);
});

test('connections are spread evenly, and an idle client of a process that is replaced is let go', async (t) => {
  const started = await startSupervised(t, 4);
  if (!started) return t.skip(NO_POSTGRES);
  const { server } = started;
  const openOnes = () => connectionsOf(server).reduce((sum, one) => sum + one, 0);
  // The start has asked whether it answers.
  const before = openOnes();
  for (const clients of [8, 32, 128]) {
    await until('the last ones are closed', () => openOnes() <= before, 60);
    const sockets = await Promise.all(
      Array.from({ length: clients }, async () => {
        const socket = connect(server.port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
    );
    // The header of a request that nobody finishes keeps a connection.
    for (const socket of sockets) socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n');
    const counts = await until(
      'all connections are handed on',
      () => {
        const found = connectionsOf(server);
        return found.reduce((sum, one) => sum + one, 0) >= clients + before && found;
      },
      30,
    );
    report({
      test: '56',
      name: `${clients} connections at 4 processes`,
      value: counts.join(', '),
      limit: 'within one',
    });
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, String(counts));
    if (clients === 128) await endsWithRestart(server, sockets);
    for (const socket of sockets) socket.destroy();
  }
  report({
    test: '56',
    name: 'memory (PSS) of the supervisor; of each of 4 processes',
    value: `${pssMegabytes(server.pid).toFixed(0)} MB; ${servingOf(server)
      .map((pid) => pssMegabytes(pid).toFixed(0))
      .join(', ')} MB`,
  });
});

/** Requests that are not finished do not hold a restart up for longer than they may take. */
async function endsWithRestart(server: FaultServer, sockets: readonly Socket[]): Promise<void> {
  const closed = sockets.map((socket) => once(socket.resume(), 'close').catch(() => {}));
  await restart(server);
  await Promise.all(closed);
}

test('a process that is killed takes no acknowledged write with it, and others answer meanwhile', async (t) => {
  const started = await startSupervised(t, 2);
  if (!started) return t.skip(NO_POSTGRES);
  const { server, headers } = started;
  const written: string[] = [];
  let names = 0;
  const writers = new Clients(t, 8, async () => {
    const name = `flow-${names++}`;
    const made = await sendJson('POST', `${server.api}/flows/`, { name }, headers).catch(() => undefined);
    if (made?.status === 201) written.push(name);
    return made?.status === 201 ? '200' : (made?.text ?? 'a lost connection');
  });
  let longest = 0;
  for (let turn = 0; turn < KILLS; turn++) {
    // A process that ends soon after its start is started again later each time.
    await delay(LONG_ENOUGH_MILLISECONDS);
    writers.longest = 0;
    await killOne(server, turn);
    longest = Math.max(longest, writers.longest);
  }
  await writers.stop();
  let lost = 0;
  for (const name of written) {
    const found = await fetch(`${server.api}/flows/name/${name}`, { headers });
    await found.arrayBuffer();
    if (found.status !== 200) lost++;
  }
  report({
    test: '57',
    name: `${written.length} acknowledged writes, a process killed ${KILLS} times; the longest time without one`,
    value: `${lost} lost; ${longest.toFixed(0)} ms`,
    limit: `0; ${AGAIN_MILLISECONDS} ms`,
  });
  assert.equal(lost, 0);
  assert.ok(longest < AGAIN_MILLISECONDS, `${longest} ms`);
});

test('a process that is frozen is replaced, and others answer meanwhile', async (t) => {
  const started = await startSupervised(t, 2);
  if (!started) return t.skip(NO_POSTGRES);
  const { server } = started;
  const before = servingOf(server);
  process.kill(before[0]!, 'SIGSTOP');
  const clients = new Clients(t, 8, () => askAnew(server.port, '/api/health'));
  await until('another one has started', () => !servingOf(server).includes(before[0]!), 120);
  await until('both serve', () => servingOf(server).length === before.length, 60);
  await clients.stop();
  assert.ok(server.output.includes('a process does not answer any more'), server.output);
  // Connections on their way to it when it froze wait for its end.
  report({
    test: '57',
    name: `${clients.count} connections while one of 2 processes is frozen; the longest time without an answer`,
    value: `failed: ${clients.failures || 0}; ${clients.longest.toFixed(0)} ms`,
    limit: `0; ${AGAIN_MILLISECONDS} ms`,
  });
  assert.equal(clients.failures, '');
  assert.ok(clients.longest < AGAIN_MILLISECONDS, `${clients.longest} ms`);
});

test('a program goes on when its processes are replaced, and comes back when its host is killed', async (t) => {
  const started = await startSupervised(t, 2, { SIGNALBOX_HOSTING: 'sandbox', SIGNALBOX_DRAIN_SECONDS: '2' });
  if (!started) return t.skip(NO_POSTGRES);
  const { server, headers: key } = started;
  const headers = { ...key, accept: 'application/json, text/event-stream' };
  const programs = new HostedPrograms(() => ({ server, headers }));
  const { url } = await programs.deployed(PROGRAM, { transport: 'http', idleSeconds: 3600 });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  /** The name of the program that answers, which is new for each start. */
  const ask = () =>
    fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) }).then(
      async (answer) => {
        const text = await answer.text();
        return answer.status === 200 ? (/"name":"([^"]+)"/.exec(text)?.[1] ?? text) : `${answer.status}`;
      },
      () => 'a lost connection',
    );
  const name = await until('the program answers', async () => {
    const found = await ask();
    return found.startsWith('program-') && found;
  });
  for (let turn = 0; turn < 2; turn++) await restart(server);
  assert.equal(await ask(), name, 'it is the same start of the program');
  const others = new Clients(t, 4, () => askAnew(server.port, '/api/health'));
  let longest = 0;
  let last = name;
  for (let turn = 0; turn < KILLS; turn++) {
    const [host] = hostsOf(server);
    process.kill(host!, 'SIGKILL');
    const began = performance.now();
    // The old start may answer once more before it ends with its host.
    last = await until(
      'the program answers again',
      async () => {
        const found = await ask();
        return found.startsWith('program-') && found !== last && found;
      },
      30,
    );
    longest = Math.max(longest, performance.now() - began);
    await delay(500);
  }
  await others.stop();
  report({
    test: '58',
    name: `the host killed ${KILLS} times: until its program answers; other requests that failed`,
    value: `${longest.toFixed(0)} ms; ${others.failures || 0}`,
    limit: `${AGAIN_MILLISECONDS} ms; 0`,
  });
  assert.equal(others.failures, '');
  assert.ok(longest < AGAIN_MILLISECONDS, `${longest} ms`);
});

const PROGRAM = `
import json, os, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
name = 'program-' + uuid.uuid4().hex
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers['content-length'])))
        info = {'name': name, 'version': '1'}
        result = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': info, 'tools': []}
        body = json.dumps({'jsonrpc': '2.0', 'id': message.get('id'), 'result': result}).replace(': ', ':').encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
`;

test('a supervisor that is killed leaves nothing behind, and the next start succeeds at once', async (t) => {
  const started = await startSupervised(t, 2, { SIGNALBOX_HOSTING: 'sandbox' });
  if (!started) return t.skip(NO_POSTGRES);
  const { server, headers } = started;
  const programs = new HostedPrograms(() => ({ server, headers }));
  await programs.deployed(PROGRAM, { transport: 'http', idleSeconds: 3600 });
  let longest = 0;
  for (let turn = 0; turn < count(2, 10); turn++) {
    const left = [...servingOf(server), ...hostsOf(server)];
    const load = new Clients(t, 8, () => askAnew(server.port, '/api/health'));
    await delay(300);
    const began = performance.now();
    await server.end('SIGKILL');
    await until('its processes have ended', () => !left.some(isRunning), 30);
    longest = Math.max(longest, (performance.now() - began) / 1000);
    await load.stop();
    await server.start();
    await until('all processes serve', () => servingOf(server).length === 2, 60);
  }
  report({
    test: '59',
    name: 'the supervisor killed: until its processes and its host have ended',
    value: `${longest.toFixed(1)} s`,
    limit: `${GONE_SECONDS} s`,
  });
  assert.ok(longest < GONE_SECONDS, `${longest} s`);
});

test('a quota holds over four processes', async (t) => {
  const started = await startSupervised(t, 4);
  if (!started) return t.skip(NO_POSTGRES);
  const { server, headers: key } = started;
  const headers = { ...key, accept: 'application/json, text/event-stream' };
  const upstream = await startWatchedUpstream();
  t.after(() => upstream.stop());
  const at = `${server.api}/v0/organizations/default/servers`;
  const given = { slug: 'echo', name: 'Echo', kind: 'external', external: { url: upstream.url } };
  assert.equal((await sendJson('POST', at, given, headers)).status, 201);
  const quotas = [{ per: 'actor', requestsPerMinute: 100 }];
  const put = await sendJson('PUT', `${at}/echo/limits`, { maxResultBytes: null, quotas }, headers);
  assert.equal(put.status, 200, put.text);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const ask = async () => {
    const answer = await fetch(`${server.origin}/servers/default/echo/mcp`, {
      method: 'POST',
      headers: { ...headers, connection: 'close' },
      body,
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  let passed = 0;
  for (let round = 0; round < 20; round++) {
    const statuses = await Promise.all(Array.from({ length: 10 }, ask));
    passed += statuses.filter((status) => status === 200).length;
  }
  report({
    test: '60',
    name: 'requests that pass a quota of 100 a minute at 4 processes',
    value: String(passed),
    limit: '99 to 101',
  });
  assert.ok(passed >= 99 && passed <= 101, String(passed));
});
