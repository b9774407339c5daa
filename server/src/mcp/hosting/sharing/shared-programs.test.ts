import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, deployCommand, hostedServer, makePrograms, type Programs } from '../../../../test/support/hosted.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { until } from '../../../../test/support/until.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import { factsOf } from '../host/machine/process-tree.ts';

const HTTP = `
import { createServer } from 'node:http';
createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { id, method, params } = JSON.parse(Buffer.concat(parts).toString() || '{}');
  if (method === 'fail') return response.destroy();
  if (method === 'lie') {
    response.writeHead(200, { 'signalbox-fault': 'absent', 'content-type': 'application/json', 'content-length': '7' });
    return response.end('data: 1');
  }
  response.setHeader('content-type', 'application/json');
  const result = { pid: process.pid, length: Buffer.concat(parts).length, text: 'x'.repeat(params?.size ?? 0) };
  setTimeout(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })), params?.wait ?? 0);
}).listen(process.env.PORT, '127.0.0.1');
`;
const STDIO = `
import { createInterface } from 'node:readline';
let seen = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : { pid: process.pid, seen: ++seen };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const isRunning = (pid: number) => {
  const facts = factsOf(pid);
  return facts !== undefined && !facts.ended;
};

// One process on SQLite has all programs.
for (const database of databases.filter((one) => one === 'postgres')) {
  describe(`programs of two servers on ${database}`, () => {
    let first: TestServer;
    let second: TestServer;
    /** A server without hosting. */
    let third: TestServer;
    let programs: Programs;
    let http: string[];
    let stdio: string[];
    let count = 0;
    before(async () => {
      programs = await makePrograms();
      http = await programs.node('http', HTTP);
      stdio = await programs.node('stdio', STDIO);
      first = await startServer({ database, config: { hosting: 'process' } });
      const { databaseUrl, home } = first.server.config;
      second = await startServer({ databaseUrl, config: { home, hosting: 'process' } });
      third = await startServer({ databaseUrl, config: { home } });
    });
    after(async () => {
      for (const server of [third, second, first]) await server?.stop();
      await programs.remove();
    });

    const deployed = async (command: string[], connection: Parameters<typeof hostedServer>[2] = {}) => {
      const id = await hostedServer(first, `shared-${++count}`, connection);
      await deployCommand(first, id, command);
      return id;
    };
    const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
    const asked = async (server: TestServer, id: string, method = 'tools/list', params = {}, headers = {}) =>
      ask(await server.server.hosting.upstreamOf(id), request(method, params), headers);
    const pidOf = async (server: TestServer, id: string): Promise<number> => (await asked(server, id)).body.result.pid;

    test('every server says that a deleted one is absent', async () => {
      const deleted = crypto.randomUUID();
      for (const server of [first, second, third]) await assert.rejects(asked(server, deleted), { fault: 'absent' });
    });

    test('each program runs once, for all servers, also for one that runs none', async () => {
      for (const [one, other] of [
        [first, second],
        [second, first],
        [third, first],
      ] as const) {
        const id = await deployed(http);
        const pid = await pidOf(one, id);
        assert.deepEqual([await pidOf(other, id), await pidOf(third, id), await pidOf(one, id)], [pid, pid, pid]);
      }
    });

    test('servers that begin at the same time start one program', async () => {
      const id = await deployed(http);
      const pids = await Promise.all([first, second, third, second, first].map((server) => pidOf(server, id)));
      assert.equal(new Set(pids).size, 1);
    });

    test('a session over stdin and stdout goes on through each server', async () => {
      const id = await deployed(stdio, { transport: 'stdio' });
      const { headers } = await asked(first, id, 'initialize');
      const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
      const answers = [];
      for (const server of [second, first, third]) answers.push(await asked(server, id, 'tools/list', {}, session));
      assert.deepEqual(
        answers.map(({ body }) => body.result.seen),
        [1, 2, 3],
      );
      const unknown = await asked(second, id, 'tools/list', {}, { 'mcp-session-id': 'no-session' });
      assert.equal(unknown.status, 404);
    });

    test('large messages pass both ways, and slow answers, and a fault is one', async () => {
      const id = await deployed(http);
      await pidOf(first, id);
      const size = 6_000_000;
      const { body } = await asked(second, id, 'tools/list', { size, given: 'y'.repeat(size) });
      assert.equal(body.result.text.length, size);
      assert.ok(body.result.length > size);
      assert.equal((await asked(second, id, 'tools/list', { wait: 1500 })).status, 200);
      await assert.rejects(asked(second, id, 'fail'), UpstreamError);
      // A program may name its headers as it likes, and its answer becomes a stream here, which is longer.
      const lie = await asked(second, id, 'lie');
      assert.deepEqual([lie.status, lie.headers['content-type'], lie.text], [200, 'text/event-stream', 'data: 1']);
    });

    test('a restart, a stop and another deployment count wherever they are asked for', async () => {
      const id = await deployed(http);
      const pid = await pidOf(first, id);
      second.server.hub.tell('servers', id, 'restart');
      await until('another program answers', async () => (await pidOf(second, id)) !== pid);
      const restarted = await pidOf(third, id);
      assert.equal(await pidOf(first, id), restarted);
      await deployCommand(second, id, http);
      await second.server.hosting.replaceOutdated(id);
      assert.notEqual(await pidOf(second, id), restarted);
      // The message about the deployment may arrive after that, and replace the program once more.
      await until('all have the same', async () => (await pidOf(first, id)) === (await pidOf(second, id)));
      await until('the first programs have ended', () => !isRunning(pid) && !isRunning(restarted));
    });

    test('each server knows the states of all programs', async () => {
      const id = await deployed(http);
      await pidOf(first, id);
      for (const server of [first, second, third]) {
        await until('its state is known', async () => (await server.server.hosting.reports())(id).state === 'running');
        assert.equal((await server.server.hosting.reports())(id).processes, 1);
      }
      assert.equal(second.server.hosting.report(id).state, 'stopped');
    });

    test('when its server stops, another one runs the program', async () => {
      const { databaseUrl, home } = first.server.config;
      const fourth = await startServer({ databaseUrl, config: { home, hosting: 'process' } });
      const id = await deployed(http);
      const pid = await pidOf(fourth, id);
      assert.equal(await pidOf(first, id), pid);
      await fourth.stop();
      assert.equal(isRunning(pid), false);
      let next = pid;
      await until('another one runs it', async () => {
        next = await pidOf(first, id).catch(() => pid);
        return next !== pid;
      });
      assert.equal(await pidOf(second, id), next);
    });
  });
}
