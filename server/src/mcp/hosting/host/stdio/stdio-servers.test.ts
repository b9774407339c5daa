import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  ask,
  deployCommand,
  eventsOf,
  hostedServer,
  makePrograms,
  open,
  outputOf,
  type Programs,
} from '../../../../../test/support/hosted.ts';
import { person } from '../../../../../test/support/platform.ts';
import { startServer, type TestServer } from '../../../../../test/support/server.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Upstream } from '../../../upstream/upstream.ts';
import { factsOf } from '../machine/process-tree.ts';
import { findBubblewrap } from '../runner/bubblewrap.ts';

const bubblewrap = findBubblewrap();

/** A server that supports sessions only, and acts on request. */
const LEGACY = `
import { createInterface } from 'node:readline';
import { existsSync, writeFileSync } from 'node:fs';
const send = (message) => process.stdout.write((typeof message === 'string' ? message : JSON.stringify(message)) + '\\n');
const asked = new Map();
const cancelled = [];
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (!method) return asked.get(id)?.(message);
  if (method === 'notifications/cancelled') return cancelled.push(params.requestId);
  const answer = (result) => send({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') return answer({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'legacy', version: '1' },
  });
  if (method === 'tools/list') return answer({ tools: [], pid: process.pid });
  if (method === 'resources/read') return send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'Resource not found' } });
  if (method === 'ping') return answer({});
  if (method === 'tools/call') switch (params.name) {
    case 'echo': return answer({ line, pid: process.pid });
    case 'exact': return send('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"b":1.0,"a":12345678901234567890}}');
    case 'progress':
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1 } });
      return params.arguments?.silent ? undefined : answer({ done: true });
    case 'cancelled': return answer({ cancelled });
    case 'ask':
      asked.set('s1', (given) => answer({ given: given.result }));
      return send({ jsonrpc: '2.0', id: 's1', method: 'roots/list' });
    case 'change':
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return answer({});
    case 'garbage': process.stdout.write('this is no message\\n'); return answer({});
    case 'long': return process.stdout.write('{"x":"' + 'y'.repeat(11_000_000) + '"}\\n');
    case 'flood':
      for (let n = 0; n < 20_000; n++) send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(200) } });
      return answer({});
    case 'crash': return process.exit(4);
    case 'silence': return;
    case 'keep': {
      const places = ['.', process.env.HOME, process.env.TMPDIR, ...params.arguments.places].map((place) => place + '/kept');
      const found = places.filter((place) => existsSync(place));
      for (const place of places) writeFileSync(place, 'of this person');
      return answer({ found, home: process.env.HOME });
    }
  }
  if (id !== undefined) send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
});
`;

/** A server of the revision without sessions. */
const MODERN = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const held = [];
const cancelled = [];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => send({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
  if (method === 'notifications/cancelled') return cancelled.push(params.requestId);
  if (method === 'server/discover') return answer({ supportedVersions: ['2026-07-28'], capabilities: {} });
  if (method === 'subscriptions/listen') {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, _meta } });
    return send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } });
  }
  if (method !== 'tools/call') return send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  switch (params.name) {
    case 'hold': return held.push([id, params]);
    case 'release':
      for (const [held_id, { arguments: given, _meta }] of held.splice(0).reverse()) {
        send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: given.n } });
        send({ jsonrpc: '2.0', id: held_id, result: { resultType: 'complete', n: given.n } });
      }
      return answer({});
    case 'leak':
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: { toString: 1 } } });
      send({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'of nobody' } }); return answer({});
    case 'log':
      send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: params.arguments.data } });
      return answer({});
    case 'change':
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return answer({});
    case 'cancelled': return answer({ cancelled, held: held.length });
  }
});
`;

const initialize = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const call = (id: unknown, name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...given },
});
const modern = (id: unknown, method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...(params['_meta'] as object | undefined),
    },
  },
});

describe('hosted servers over stdin and stdout', () => {
  let server: TestServer;
  let programs: Programs;
  let legacy: string[];
  let count = 0;
  before(async () => {
    server = await startServer({ config: { hosting: 'process' } });
    await person(server, 'ada@example.com', 'admin');
    programs = await makePrograms();
    legacy = await programs.node('legacy', LEGACY);
  });
  after(async () => {
    await server.stop();
    await programs.remove();
  });

  async function deployed(command: string[], connection: Parameters<typeof hostedServer>[2] = {}): Promise<string> {
    const id = await hostedServer(server, `stdio-${++count}`, { transport: 'stdio', ...connection });
    await deployCommand(server, id, command);
    return id;
  }

  async function session(upstream: Upstream): Promise<Record<string, string>> {
    const { status, headers } = await ask(upstream, initialize);
    assert.equal(status, 200);
    const header = { 'mcp-session-id': String(headers['mcp-session-id']) };
    assert.match(header['mcp-session-id'], /^[!-~]{20,}$/);
    const answer = await ask(upstream, { jsonrpc: '2.0', method: 'notifications/initialized' }, header);
    assert.deepEqual([answer.status, answer.text], [202, '']);
    return header;
  }

  async function opened(command = legacy, connection = {}) {
    const id = await deployed(command, connection);
    const upstream = await server.server.hosting.upstreamOf(id);
    return { id, upstream, header: await session(upstream) };
  }

  test('a session has its own process, and its messages reach it byte for byte, save for their ids', async () => {
    const { upstream, header } = await opened();
    const text = '{"id": 7.0,"jsonrpc":"2.0", "params":{"name":"echo","n":1.50},"method":"tools/call"}';
    const answer = await ask(upstream, text, header);
    assert.equal(answer.body.result.line.replace(/"id": \d+,/, '"id": 7.0,'), text);
    assert.match(answer.text, /"id":7\.0/, 'the id is returned as it was written');
    assert.equal(answer.headers['content-type'], 'application/json');
    const exact = await ask(upstream, call(1, 'exact'), header);
    assert.equal(exact.text, '{"jsonrpc":"2.0","id":1,"result":{"b":1.0,"a":12345678901234567890}}');
    const other = await session(upstream);
    const pids = await Promise.all(
      [header, other, header].map(
        async (given) => (await ask(upstream, call('x1', 'echo'), given).catch(() => undefined))?.body,
      ),
    );
    assert.notEqual(pids[1].result.pid, (pids[0].result ?? pids[2].result).pid);
  });

  test('equal ids stay separate, in different sessions and in one, also after a request without an answer', async () => {
    const { upstream, header } = await opened();
    const others = await Promise.all([session(upstream), session(upstream)]);
    const answers = await Promise.all(others.map((given) => ask(upstream, call(1, 'echo'), given)));
    assert.equal(new Set(answers.map(({ body }) => body.result.pid)).size, 2);
    const waiting = open(upstream, call(1, 'silence'), header);
    const same = await Promise.all([1, 1, '1', 1.5].map((id) => ask(upstream, call(id, 'echo'), header)));
    assert.deepEqual(
      same.map(({ status, body }) => [status, body.id]),
      [1, 1, '1', 1.5].map((id) => [200, id]),
    );
    waiting.abort();
    assert.equal((await ask(upstream, call(1, 'echo'), header)).status, 200);
  });

  test('progress comes on the stream of its request, before its result', async () => {
    const { upstream, header } = await opened();
    const answer = await ask(upstream, call(1, 'progress', { _meta: { progressToken: 'p' } }), header);
    assert.equal(answer.headers['content-type'], 'text/event-stream');
    assert.deepEqual(
      answer.events.map(({ method, result }) => method ?? result),
      ['notifications/progress', { done: true }],
    );
  });

  test('a cancelled request ends once the server is notified, and others continue', async () => {
    const { upstream, header } = await opened();
    const cancel = async (requestId: unknown) => {
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
      assert.equal((await ask(upstream, message, header)).status, 202);
    };
    const [quiet, other] = [open(upstream, call(1, 'silence'), header), open(upstream, call('1', 'silence'), header)];
    await cancel(1);
    const { status, text } = await quiet.answer;
    assert.deepEqual([status, text], [202, ''], 'the request has no answer');
    const told = open(
      upstream,
      call('p', 'progress', { _meta: { progressToken: 't' }, arguments: { silent: true } }),
      header,
    );
    await until('the stream has begun', () => told.text() !== '');
    await cancel('p');
    assert.deepEqual(
      (await told.answer).events.map(({ method }) => method),
      ['notifications/progress'],
    );
    await cancel('nobody asked this');
    await cancel({ toString: 'no id' });
    const known = await ask(upstream, call(2, 'cancelled'), header);
    assert.equal(known.body.result.cancelled.length, 2, 'what nobody asked is not cancelled');
    await cancel('1');
    assert.equal((await other.answer).status, 202, 'the other request was still running');
  });

  test('the server asks the client and gets its answer', async () => {
    const { upstream, header } = await opened();
    const waiting = open(upstream, call(1, 'ask'), header);
    const [question] = await until('the question has come', () => {
      const events = eventsOf(waiting.text()) as { id: string; method: string }[];
      return events.length > 0 && events;
    });
    assert.equal(question?.method, 'roots/list');
    const told = await ask(upstream, { jsonrpc: '2.0', id: question?.id, result: { roots: [] } }, header);
    assert.equal(told.status, 202);
    assert.deepEqual((await waiting.answer).events.at(-1).result, { given: { roots: [] } });
  });

  test('messages about the whole server come on the open stream, or wait for it', async () => {
    const { upstream, header } = await opened();
    assert.equal((await ask(upstream, call(1, 'change'), { ...header, accept: 'application/json' })).status, 200);
    const stream = open(upstream, undefined, header, 'GET');
    const changes = () => eventsOf(stream.text()).length;
    await until('the waiting message has come', () => changes() === 1);
    const answer = await ask(upstream, call(2, 'change'), header);
    assert.equal(answer.headers['content-type'], 'application/json');
    await until('the next has come', () => changes() === 2);
    stream.abort();
  });

  test('an ended session is unknown, and its process ends', async () => {
    const { upstream, header } = await opened();
    const { pid } = (await ask(upstream, call(1, 'echo'), header)).body.result;
    assert.equal((await ask(upstream, undefined, header, 'DELETE')).status, 200);
    assert.equal((await ask(upstream, call(2, 'echo'), header)).status, 404);
    assert.equal((await ask(upstream, undefined, header, 'DELETE')).status, 404);
    await until('its process has ended', () => {
      const facts = factsOf(pid);
      return !facts || facts.ended;
    });
  });

  for (const hosting of ['process', 'sandbox'] as const) {
    test(`sessions share no folder, and leave none (${hosting})`, {
      skip: hosting === 'sandbox' && typeof bubblewrap === 'string' && bubblewrap,
    }, async () => {
      const other = await startServer({ config: { hosting } });
      await person(other, 'ada@example.com', 'admin');
      const id = await hostedServer(other, 'keeper', { transport: 'stdio' });
      await deployCommand(other, id, legacy);
      const upstream = await other.server.hosting.upstreamOf(id);
      const places = hosting === 'sandbox' ? ['/tmp', '/dev/shm'] : [];
      const running = join(other.server.config.home, 'hosting', 'running');
      const kept = async () => {
        const header = await session(upstream);
        const { found, home } = (await ask(upstream, call(1, 'keep', { arguments: { places } }), header)).body.result;
        assert.deepEqual(found, []);
        return { header, home };
      };
      const sessions = [await kept(), await kept()];
      assert.equal(new Set(sessions.map(({ home }) => home)).size, 2);
      assert.equal((await readdir(running)).length, 2);
      for (const { header } of sessions) await ask(upstream, undefined, header, 'DELETE');
      await until('their folders are gone', async () => (await readdir(running)).length === 0);
      await other.stop();
    });
  }

  test('requests without a valid session or message are refused', async () => {
    const { upstream, header } = await opened();
    const status = async (body: unknown, headers = {}) => (await ask(upstream, body, headers)).status;
    assert.equal(await status(call(1, 'echo')), 400);
    assert.equal(await status(call(1, 'echo'), { 'mcp-session-id': 'made-up' }), 404);
    assert.equal(await status([call(1, 'echo')], header), 400);
    assert.equal(await status('{"jsonrpc"', header), 400);
    assert.equal(await status({ jsonrpc: '2.0', id: null, method: 'ping' }, header), 400);
    assert.equal((await ask(upstream, undefined, {}, 'GET')).status, 405);
  });

  test('a crash fails the open requests, and the session is unknown afterwards', async () => {
    const { id, upstream, header } = await opened();
    await assert.rejects(ask(upstream, call(1, 'crash'), header), { fault: 'connection' });
    await until('the crash is noticed', () => server.server.hosting.report(id).failures === 1);
    assert.equal((await ask(upstream, call(2, 'echo'), header)).status, 404);
    assert.equal((await ask(upstream, initialize)).status, 200, 'a new session can be opened');
  });

  test('a program that is not an MCP server fails its first request with the reason', async () => {
    const id = await deployed([process.execPath, '-e', 'process.exit(9)']);
    const upstream = await server.server.hosting.upstreamOf(id);
    await assert.rejects(ask(upstream, initialize), /ended before it had answered: it exited with status 9/);
    await until('the log says why', async () =>
      (await outputOf(server, id)).some((line) => line.includes('exited with status 9')),
    );
  });

  test('invalid lines on stdout go to the log and have no other effect', async () => {
    const { id, upstream, header } = await opened();
    assert.deepEqual((await ask(upstream, call(1, 'garbage'), header)).body.result, {});
    await until('it is in the log', async () => (await outputOf(server, id)).includes('stdout: this is no message'));
  });

  test('an endless message ends its own process only', async () => {
    const { upstream, header } = await opened();
    const other = await session(upstream);
    await assert.rejects(ask(upstream, call(1, 'long'), header), { fault: 'connection' });
    assert.equal((await ask(upstream, call(1, 'echo'), other)).status, 200);
  });

  test('a flood of notifications is passed on, and a reader that stops reading is disconnected', async () => {
    const { upstream, header } = await opened();
    assert.equal((await ask(upstream, call(1, 'flood'), header)).events.length, 20_001);
    const other = await session(upstream);
    let pieces = 0;
    await new Promise<void>((resolve) => {
      upstream.send(
        {
          method: 'POST',
          headers: { accept: 'application/json, text/event-stream', ...other },
          body: Buffer.from(JSON.stringify(call(1, 'flood'))),
        },
        {
          begin: () => {},
          data: () => {
            pieces++;
            return false;
          },
          end: () => resolve(),
          fail: () => resolve(),
        },
      );
      void until('the session goes on', async () => (await ask(upstream, call(2, 'echo'), other)).status === 200).then(
        () => resolve(),
      );
    });
    assert.equal(pieces, 1, 'no message comes while the reader pauses');
  });

  test('a server that has the largest number of processes refuses more, with the reason', async () => {
    const { upstream } = await opened(legacy, { maxProcesses: 2 });
    await session(upstream);
    await assert.rejects(ask(upstream, initialize), { fault: 'unavailable', retryAfterSeconds: 10 });
  });

  test('one person has at most half of the processes, and the refusal says so', async () => {
    const { upstream } = await opened(legacy, { maxProcesses: 5 });
    const as = (actor: string) => ask(upstream, initialize, { 'signalbox-actor': actor });
    const answers = await Promise.allSettled(Array.from({ length: 4 }, () => as('bob')));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
    await assert.rejects(as('bob'), {
      message: /You already use 2 of the 5 processes.*maxProcesses/,
      retryAfterSeconds: 10,
    });
    assert.equal((await as('carol')).status, 200);
  });

  test('the limit also holds when many clients come at the same moment', async () => {
    const { id, upstream } = await opened(legacy, { maxProcesses: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => ask(upstream, initialize)));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
    assert.equal(server.server.hosting.report(id).processes, 3);
  });

  test('a request that is not answered in time gets an error, and the session continues', async () => {
    const upstream = await server.server.hosting.upstreamOf(await deployed(legacy, { answerSeconds: 1 }));
    const header = await until('a session begins in time', () => session(upstream).catch(() => undefined));
    let number = 0;
    const isAnswered = (method: string) =>
      ask(upstream, call(++number, method), header).then(
        ({ status }) => status === 200,
        () => false,
      );
    await assert.rejects(ask(upstream, call(++number, 'silence'), header), { fault: 'timeout' });
    await until('another is answered', () => isAnswered('echo'));
    const stream = open(upstream, undefined, header, 'GET');
    await assert.rejects(ask(upstream, call(++number, 'silence'), header), { fault: 'timeout' });
    await until('a change is announced', () => isAnswered('change'));
    await until('the stream is still open', () => eventsOf(stream.text()).length > 0);
    stream.abort();
  });

  test('an idle session ends', async () => {
    const id = await deployed(legacy, { idleSeconds: 0.1 });
    const upstream = await server.server.hosting.upstreamOf(id);
    const header = await until('a session begins in time', () => session(upstream).catch(() => undefined));
    await until('no process runs any more', () => server.server.hosting.report(id).processes === 0);
    assert.equal((await ask(await server.server.hosting.upstreamOf(id), call(1, 'echo'), header)).status, 404);
  });

  test('requests of the newest revision share one process, each with its own id and progress', async () => {
    const id = await deployed(await programs.node('modern', MODERN));
    const upstream = await server.server.hosting.upstreamOf(id);
    const held = Array.from({ length: 50 }, (_, n) =>
      open(
        upstream,
        modern('same', 'tools/call', { name: 'hold', arguments: { n }, _meta: { progressToken: 'token' } }),
      ),
    );
    const status = async () => (await ask(upstream, modern(1, 'tools/call', { name: 'cancelled' }))).body.result;
    await until('all are held', async () => (await status()).held === 50);
    await ask(upstream, modern(2, 'tools/call', { name: 'release' }));
    const answers = await Promise.all(held.map(({ answer }) => answer));
    answers.forEach(({ events }, n) => {
      assert.deepEqual(events, [
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'token', progress: n } },
        { jsonrpc: '2.0', id: 'same', result: { resultType: 'complete', n } },
      ]);
    });
    assert.equal(server.server.hosting.report(id).processes, 1);
    const given = open(upstream, modern(3, 'tools/call', { name: 'hold', arguments: { n: 1 } }));
    await until('it is held', async () => (await status()).held === 1);
    given.abort();
    await until('the server got the cancellation', async () => (await status()).cancelled.length === 1);
    const leak = await ask(upstream, modern(4, 'tools/call', { name: 'leak' }));
    assert.deepEqual(leak.body, { jsonrpc: '2.0', id: 4, result: { resultType: 'complete' } });
    assert.equal((await ask(upstream, modern(5, 'no/such'))).status, 404);
  });

  test('a list change during a request reaches every request, and a log message only a lone actor', async () => {
    const id = await deployed(await programs.node('modern', MODERN));
    const upstream = await server.server.hosting.upstreamOf(id);
    const logs = { 'io.modelcontextprotocol/logLevel': 'info' };
    const log = (data: string, actor: string | undefined, meta: object = logs) =>
      ask(
        upstream,
        modern(1, 'tools/call', { name: 'log', arguments: { data }, _meta: meta }),
        actor === undefined ? {} : { 'signalbox-actor': actor },
      );
    const methodsOf = (events: readonly unknown[]) => events.map((event) => (event as { method?: string }).method);
    const alone = await log('for ada', 'ada');
    assert.deepEqual(methodsOf(alone.events), ['notifications/message', undefined]);
    assert.deepEqual(methodsOf((await log('not asked for', 'ada', {})).events), []);
    assert.deepEqual(methodsOf((await log('after another', 'eve')).events), []);
    assert.deepEqual(methodsOf((await log('of two', 'ada')).events), []);
    assert.deepEqual(methodsOf((await log('of nobody', undefined)).events), []);

    const held = open(
      upstream,
      modern(2, 'tools/call', { name: 'hold', arguments: { n: 1 }, _meta: { progressToken: 1 } }),
    );
    const isHeld = async () =>
      (await ask(upstream, modern(3, 'tools/call', { name: 'cancelled' }))).body.result.held === 1;
    await until('it is held', isHeld);
    const changed = await ask(upstream, modern(4, 'tools/call', { name: 'change' }));
    await ask(upstream, modern(5, 'tools/call', { name: 'release' }));
    assert.deepEqual(methodsOf(changed.events), ['notifications/tools/list_changed', undefined]);
    assert.equal(methodsOf((await held.answer).events)[0], 'notifications/tools/list_changed');
  });

  test('a subscription is named by the id of its caller', async () => {
    const id = await deployed(await programs.node('modern', MODERN));
    const upstream = await server.server.hosting.upstreamOf(id);
    const stream = open(
      upstream,
      modern('mine', 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    const events = await until('both have come', () => {
      const come = eventsOf(stream.text()) as { params: { _meta: Record<string, unknown> } }[];
      return come.length === 2 && come;
    });
    assert.deepEqual(
      events.map(({ params }) => params._meta['io.modelcontextprotocol/subscriptionId']),
      ['mine', 'mine'],
    );
    stream.abort();
  });

  test('a program with sessions only refuses requests of the newest revision', async () => {
    const picky = `process.stdin.once('data', (line) => { if (!String(line).includes('initialize')) process.exit(1); });`;
    for (const command of [legacy, await programs.node('picky', picky + LEGACY)]) {
      const id = await deployed(command);
      const upstream = await server.server.hosting.upstreamOf(id);
      for (const method of ['server/discover', 'tools/list']) {
        const { status, body } = await ask(upstream, modern(1, method));
        assert.deepEqual([status, body.error.code], [400, -32_600]);
      }
      await until('the probed process has ended', () => server.server.hosting.report(id).processes === 0);
      assert.equal(server.server.hosting.report(id).failures, 0);
      await session(upstream);
    }
  });
});

/** The program of a Python environment with FastMCP. */
const fastmcp = process.env['SIGNALBOX_TEST_FASTMCP'] ?? '';

describe('FastMCP servers', { skip: existsSync(fastmcp) ? false : 'SIGNALBOX_TEST_FASTMCP names no FastMCP' }, () => {
  const program = `
from fastmcp import FastMCP, Context
mcp = FastMCP("sums")

@mcp.tool
async def add(a: int, b: int, ctx: Context) -> int:
    await ctx.report_progress(1, 2)
    return a + b
`;
  for (const transport of ['http', 'stdio'] as const) {
    test(`over ${transport}, in both eras`, async (context) => {
      const server = await startServer({ config: { hosting: 'process' } });
      await person(server, 'ada@example.com', 'admin');
      const programs = await makePrograms();
      context.after(() => Promise.all([server.stop(), programs.remove()]));
      const file = join(programs.folder, 'sums.py');
      await writeFile(file, program);
      const id = await hostedServer(server, 'sums', { transport });
      const command = [fastmcp, 'run', file, '--no-banner', '--transport', transport];
      await deployCommand(server, id, command);
      const upstream = await server.server.hosting.upstreamOf(id);
      const { headers } = await ask(upstream, initialize, { 'mcp-protocol-version': '2025-11-25' });
      const header = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
      await ask(upstream, { jsonrpc: '2.0', method: 'notifications/initialized' }, header);
      const add = { name: 'add', arguments: { a: 2, b: 3 }, _meta: { progressToken: 'p' } };
      const old = await ask(upstream, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: add }, header);
      assert.deepEqual((old.events.at(-1) ?? old.body).result.structuredContent, { result: 5 });
      assert.equal(old.events[0].method, 'notifications/progress');
      const current = await ask(upstream, modern(3, 'tools/call', add), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'add',
      });
      assert.deepEqual((current.events.at(-1) ?? current.body).result.structuredContent, { result: 5 });
    });
  }
});
