/**
 * Two servers on one PostgreSQL are one server to clients of MCP: a session goes on at either, a program runs at one of
 * them, and at the other one when the first is killed or cut off from the database.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startCable } from '../support/cable.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type Answering, startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, FaultServer, report, runProgram, sendJson } from './harness.ts';
import { HostedPrograms } from './hosted-programs.ts';

const SESSIONS = count(20, 200);
const CALLS = count(500, 10_000);
const AWAY_SECONDS = count(32, 60);
/** Another server runs the programs of one that has gone by then. */
const TAKEN_OVER_SECONDS = 30;
const ACCEPT = 'application/json, text/event-stream';

async function startTwo(t: { after(work: () => unknown): void }, settings: Readonly<Record<string, string>>) {
  const postgres = await startOwnPostgres();
  if (!postgres) return undefined;
  t.after(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  const cable = await startCable(Number(new URL(databaseUrl).port));
  t.after(() => cable.stop());
  const environment = {
    SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
    SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...settings,
  };
  const healthy = await FaultServer.start({ databaseUrl, environment });
  t.after(() => healthy.dispose());
  const far = new URL(databaseUrl);
  far.port = String(cable.port);
  const other = await FaultServer.start({ databaseUrl: far.href, environment });
  t.after(() => other.dispose());
  const command = async (...words: string[]) => {
    const ran = await runProgram([...words, '--json'], { home: healthy.home, databaseUrl, environment });
    assert.equal(ran.code, 0, ran.output);
    return JSON.parse(ran.stdout);
  };
  await command('users', 'create', '--email', 'ada@example.com', '--organization', 'default', '--role', 'admin');
  const { secret } = await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test');
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', accept: ACCEPT };
  return { healthy, other, cable, headers, servers: [healthy, other] as const };
}

/** Has sessions, and answers each call with its session and its arguments. */
const echoing: Answering = ({ body, headers }, response) => {
  const { id, method, params } = JSON.parse(body === '' ? '{}' : body);
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const session = String(headers['mcp-session-id'] ?? randomUUID());
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: JSON.stringify([session, params?.arguments]) }] },
  };
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
};

test('sessions with a remix go on at both servers in turn, and none is mixed with another', async (t) => {
  const two = await startTwo(t, {});
  if (!two) return t.skip('no PostgreSQL is installed');
  const { healthy, servers, headers } = two;
  const upstream = await startWatchedUpstream();
  t.after(() => upstream.stop());
  upstream.answerWith(echoing);
  const create = async (body: object) => {
    const made = await sendJson('POST', `${healthy.api}/v0/organizations/default/servers`, body, headers);
    assert.equal(made.status, 201, made.text);
  };
  await create({ slug: 'echo', name: 'Echo', kind: 'external', external: { url: upstream.url } });
  await create({
    ...{ slug: 'mix', name: 'Mix', kind: 'remix', defaultRole: 'viewer' },
    remix: { sources: [{ server: 'echo', tools: [{ name: 'echo' }] }] },
  });
  const ask = async (server: FaultServer, message: object, session?: string) => {
    const given = { ...headers, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
    return fetch(`${server.origin}/servers/default/mix/mcp`, {
      method: 'POST',
      headers: given,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  let failed = 0;
  let mixed = 0;
  let calls = 0;
  const use = async (number: number) => {
    const begun = await ask(servers[number % 2]!, { method: 'initialize', params });
    const session = begun.headers.get('mcp-session-id') ?? '';
    await begun.arrayBuffer();
    let own: string | undefined;
    for (let turn = 0; turn < CALLS / SESSIONS; turn++) {
      const given = { number, turn };
      const call = { method: 'tools/call', params: { name: 'echo', arguments: given } };
      const answer = await ask(servers[(number + turn) % 2]!, call, session);
      calls++;
      const text = await answer.text();
      if (answer.status !== 200) {
        failed++;
        t.diagnostic(`${answer.status} ${text.slice(0, 200)}`);
        continue;
      }
      const [from, echoed] = JSON.parse(JSON.parse(text).result.content[0].text);
      own ??= from;
      if (from !== own || echoed.number !== number || echoed.turn !== turn) mixed++;
    }
    return own;
  };
  const sources: (string | undefined)[] = [];
  for (let first = 0; first < SESSIONS; first += 20) {
    sources.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => use(first + index)))));
  }
  assert.deepEqual({ failed, mixed }, { failed: 0, mixed: 0 });
  assert.equal(new Set(sources).size, SESSIONS, 'each session has one of its own at the source');
  report({
    test: '55',
    name: `${calls} calls in ${SESSIONS} sessions with a remix, at two servers in turn`,
    value: `${failed} not found, ${mixed} mixed`,
  });
});

/** True for the program itself, and not for the sandbox around it. */
function isProgram(pid: string, mark: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('python') &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    );
  } catch {
    return false;
  }
}

test('a program runs at one of two servers, also when that one is cut off or killed', async (t) => {
  const two = await startTwo(t, { SIGNALBOX_HOSTING: 'sandbox', SIGNALBOX_DRAIN_SECONDS: '1' });
  if (!two) return t.skip('no PostgreSQL is installed');
  const { healthy, other, cable, headers } = two;
  const programs = new HostedPrograms(() => ({ server: other, headers }));
  const mark = `mark-${randomUUID()}`;
  const code = `
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers['content-length'])))
        info = {'name': '${mark}', 'version': '1'}
        result = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': info, 'tools': []}
        body = json.dumps({'jsonrpc': '2.0', 'id': message.get('id'), 'result': result}).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
`;
  const { url } = await programs.deployed(code, { transport: 'http', idleSeconds: 3600 });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const statusAt = (server: FaultServer) =>
    fetch(server.origin + new URL(url).pathname, {
      ...{ method: 'POST', headers, body: message },
      signal: AbortSignal.timeout(3000),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
  const seen = new Set<string>();
  let most = 0;
  /** Looks at all processes of the machine. */
  const look = () => {
    const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isProgram(pid, mark));
    for (const pid of found) seen.add(pid);
    most = Math.max(most, found.length);
  };
  const looking = setInterval(look, 20);
  t.after(() => clearInterval(looking));
  /** Asks this server all the time. Returns a function that ends that, with the longest time without an answer. */
  const watch = (server: FaultServer) => {
    let last = performance.now();
    let longest = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        if ((await statusAt(server)) === 200) {
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
        }
        await delay(50);
      }
    })();
    return async () => {
      isOver = true;
      await watching;
      return Math.max(longest, performance.now() - last) / 1000;
    };
  };
  const isServed = (server: FaultServer) =>
    until('the program is served', async () => (await statusAt(server)) === 200, TAKEN_OVER_SECONDS);

  await isServed(other);
  assert.equal(await statusAt(healthy), 200);
  const [first] = seen;
  const whileCut = watch(healthy);
  cable.cut();
  const cutAt = performance.now();
  await until('the time is over', () => performance.now() - cutAt > AWAY_SECONDS * 1000, AWAY_SECONDS + 5);
  const afterCut = await whileCut();
  assert.ok(first !== undefined && seen.size === 2, 'the other server runs it');
  cable.mend();
  await isServed(other);
  assert.equal(seen.size, 2, 'the first server leaves it there');
  const whileKilled = watch(other);
  await healthy.end('SIGKILL');
  await until('another one runs', () => seen.size === 3, TAKEN_OVER_SECONDS);
  await isServed(other);
  const afterKill = await whileKilled();
  assert.equal(most, 1, 'two programs lived at once');
  for (const away of [afterCut, afterKill]) assert.ok(away < TAKEN_OVER_SECONDS, `${away} s without an answer`);
  report({
    test: '55',
    name: `a program of two servers: its server is cut off from the database for ${AWAY_SECONDS} s, then the next one is killed`,
    value: `never two; at the other server, longest time without an answer ${afterCut.toFixed(1)} s and ${afterKill.toFixed(1)} s`,
  });
});
