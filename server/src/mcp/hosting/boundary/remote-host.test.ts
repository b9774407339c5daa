import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  ask,
  deployCommand,
  hostedServer,
  makePrograms,
  open,
  outputOf,
  type Programs,
} from '../../../../test/support/hosted.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { isOwnEndpoint } from '../../../outbound/own-endpoints.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import { factsOf } from '../host/machine/process-tree.ts';
import { machineTime } from './host.ts';
import { RemoteHost } from './remote-host.ts';

/** Answers each request with its process, its port and, when asked, a long text. */
const HTTP = `
import { createServer } from 'node:http';
createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { id, params } = JSON.parse(Buffer.concat(parts).toString() || '{}');
  console.log('asked', process.env.SECRET ?? '');
  response.setHeader('content-type', 'application/json');
  const result = { pid: process.pid, port: process.env.PORT, parent: process.ppid };
  setTimeout(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })), params?.wait ?? 0);
}).listen(process.env.PORT, '127.0.0.1');
`;
const STDIO = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'never') return;
  const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : { pid: process.pid, length: line.length, text: 'x'.repeat(params?.size ?? 0) };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

for (const database of databases) {
  describe(`a host in a process of its own, on ${database}`, () => {
    let server: TestServer;
    let programs: Programs;
    let host: RemoteHost;
    let http: string[];
    let stdio: string[];
    let count = 0;
    before(async () => {
      programs = await makePrograms();
      http = await programs.node('http', HTTP);
      stdio = await programs.node('stdio', STDIO);
      server = await startServer({
        database,
        config: { hosting: 'process' },
        makeHost: (settings, listener) => {
          host = new RemoteHost(settings, listener);
          return host;
        },
      });
    });
    after(async () => {
      await server.stop();
      await programs.remove();
    });

    const deployed = async (command: string[], connection: Parameters<typeof hostedServer>[2] = {}) => {
      const id = await hostedServer(server, `hosted-${++count}`, connection);
      await deployCommand(server, id, command);
      return id;
    };
    const upstream = (id: string) => server.server.hosting.upstreamOf(id);
    const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
    const initialized = async (id: string) => {
      const { headers } = await ask(await upstream(id), request('initialize'));
      return { 'mcp-session-id': String(headers['mcp-session-id']) };
    };
    const isRunning = (pid: number) => {
      const facts = factsOf(pid);
      return facts !== undefined && !facts.ended;
    };

    test('starts with the first use, and gets nothing of the environment but a list', async () => {
      assert.equal(host.pid, undefined);
      process.env['SIGNALBOX_TEST_SECRET'] = 'canary';
      const id = await deployed(http);
      const { body } = await ask(await upstream(id), request('tools/list'));
      delete process.env['SIGNALBOX_TEST_SECRET'];
      assert.equal(body.result.parent, host.pid, 'the host started the program');
      const environment = readFileSync(`/proc/${host.pid}/environ`, 'utf8');
      assert.doesNotMatch(environment, /canary|SIGNALBOX|DATABASE/);
      assert.match(environment, /PATH=/);
    });

    test('ports of programs are no targets of users while they run', async () => {
      const id = await deployed(http);
      const { body } = await ask(await upstream(id), request('tools/list'));
      const port = Number(body.result.port);
      assert.equal(isOwnEndpoint('127.0.0.1', port), true);
      server.server.hub.tell('servers', id, 'restart');
      await until('the port is free', () => !isOwnEndpoint('127.0.0.1', port));
    });

    test('carries large messages both ways, also to slow readers', async () => {
      const id = await deployed(stdio, { transport: 'stdio' });
      const session = await initialized(id);
      const size = 6_000_000;
      const { body } = await ask(await upstream(id), request('echo', { size, given: 'y'.repeat(size) }), session);
      assert.equal(body.result.text.length, size);
      assert.ok(body.result.length > size);
    });

    test('a reader that pauses gets the rest when it goes on', async () => {
      const id = await deployed(stdio, { transport: 'stdio' });
      const session = await initialized(id);
      const size = 5_000_000;
      const body = Buffer.from(JSON.stringify(request('echo', { size })));
      const headers = { 'content-type': 'application/json', accept: 'application/json', ...session };
      const called = await upstream(id);
      const bytes = await new Promise<number>((resolve, reject) => {
        let sum = 0;
        const call = called.send(
          { method: 'POST', headers, body },
          {
            begin() {},
            data: (chunk) => {
              sum += chunk.length;
              setImmediate(() => call.resume());
              return false;
            },
            end: () => resolve(sum),
            fail: reject,
          },
        );
      });
      assert.ok(bytes > size);
    });

    test('output is stored without secrets, and the state is reported', async () => {
      const id = await deployed(http);
      await ask(await upstream(id), request('tools/list'));
      await until('its output is stored', async () =>
        (await outputOf(server, id)).some((line) => line.includes('asked')),
      );
      const { state, processes, startedAt } = server.server.hosting.report(id);
      assert.deepEqual([state, processes], ['running', 1]);
      assert.equal(String(startedAt).slice(0, 4), String(server.server.clock.now()).slice(0, 4));
    });

    test('programs end at the time until which they are held', async (t) => {
      // Two servers on PostgreSQL move it on themselves.
      if (database === 'postgres') return t.skip('it is held by the claim of its server');
      const id = await deployed(http);
      const { body } = await ask(await upstream(id), request('tools/list'));
      host.holdUntil(machineTime() + 400);
      await until('it has ended', () => !isRunning(body.result.pid));
      // The news of the end may come a moment after it.
      await until('another one answers', async () => {
        const next = await ask(await upstream(id), request('tools/list')).catch(() => undefined);
        return next !== undefined && next.body.result.pid !== body.result.pid;
      });
    });

    test('a program that is replaced finishes what it has begun', async () => {
      const id = await deployed(http);
      const slow = ask(await upstream(id), request('slow', { wait: 700 }));
      await until('it is under way', () => server.server.hosting.report(id).requestsUnderWay === 1);
      server.server.hub.tell('servers', id, 'restart');
      const next = await ask(await upstream(id), request('tools/list'));
      const first = await slow;
      assert.equal(first.status, 200);
      assert.notEqual(first.body.result.pid, next.body.result.pid);
      await until('the first has ended', () => !isRunning(first.body.result.pid));
    });

    test('when it is killed, calls under way fail, nothing of it stays, and the next use is served', async () => {
      const ids = [await deployed(http), await deployed(stdio, { transport: 'stdio' })];
      const first = (await ask(await upstream(ids[0]!), request('tools/list'))).body.result.pid;
      const session = await initialized(ids[1]!);
      const waiting = open(await upstream(ids[1]!), request('never'), session).answer;
      const before = host.pid!;
      process.kill(before, 'SIGKILL');
      await assert.rejects(waiting, (error) => error instanceof UpstreamError && error.fault === 'connection');
      const served = (id: string, method: string) =>
        until('it is served again', async () =>
          upstream(id)
            .then((found) => ask(found, request(method)))
            .catch((error: unknown) => {
              assert.ok(error instanceof UpstreamError);
              return false as const;
            }),
        );
      assert.equal((await served(ids[0]!, 'tools/list')).status, 200);
      assert.notEqual(host.pid, before);
      await until('the earlier program is gone', () => !isRunning(first));
      assert.equal((await served(ids[1]!, 'initialize')).status, 200);
    });

    test('ends with its server', async () => {
      const other = await startServer({
        database,
        config: { hosting: 'process' },
        makeHost: (...given) => (host = new RemoteHost(...given)),
      });
      const id = await hostedServer(other, 'other');
      await deployCommand(other, id, http);
      const { body } = await ask(await other.server.hosting.upstreamOf(id), request('tools/list'));
      const pid = host.pid!;
      await other.stop();
      assert.deepEqual([isRunning(pid), isRunning(body.result.pid)], [false, false]);
    });
  });
}
