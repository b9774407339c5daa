import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, callTool, openStream, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { databasesOfRun } from '../../../test/support/server.ts';
import type { Answering } from '../../../test/support/watched-upstream.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

const RELATED = 'io.modelcontextprotocol/related-task';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const task = (taskId: string) => ({ taskId, status: 'working', ttl: 60_000, createdAt: '2026-11-22T00:00:00Z' });

/** A server whose tasks are raw-1, raw-2 … Anyone who knows such an id may use the task. */
function taskServer(seen: Json[]): Answering {
  const ids: string[] = [];
  return ({ method, body }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Json;
    seen.push(message);
    const modern = message['params']?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    const isRequest = message['id'] !== undefined && message['method'] !== undefined;
    response.writeHead(isRequest ? 200 : 202, { 'content-type': 'application/json' });
    if (!isRequest) return void response.end();
    const { taskId } = message['params'] ?? {};
    const resultOf = (): Json => {
      switch (message['method']) {
        case 'tools/call':
          ids.push(`raw-${ids.length + 1}`);
          return modern ? { resultType: 'task', ...task(ids.at(-1)!) } : { task: task(ids.at(-1)!) };
        case 'tasks/list':
          return { tasks: ids.map(task) };
        case 'tasks/result':
          return { content: [{ type: 'text', text: 'done' }], _meta: { [RELATED]: { taskId } } };
        case 'tasks/get':
          return { ...(modern ? { resultType: 'complete' } : {}), ...task(taskId) };
        case 'tasks/cancel':
          return task(taskId);
        default:
          return {};
      }
    };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result: resultOf() }));
  };
}

for (const database of databasesOfRun) {
  describe(`tasks of MCP servers on ${database}`, () => {
    let gateway: TestGateway;
    let ada: PlatformCaller & { readonly id: string };
    let bob: PlatformCaller & { readonly id: string };
    const seen: Json[] = [];

    before(async () => {
      gateway = await startGateway({ database });
      for (const slug of ['first', 'second', 'narrow']) assert.equal((await gateway.register(slug)).status, 201);
      ada = await gateway.member('ada@example.com');
      bob = await gateway.member('bob@example.com');
      gateway.upstream.answerWith(taskServer(seen));
    });
    beforeEach(() => {
      seen.length = 0;
    });
    after(() => gateway.stop());

    const legacy = (method: string, params: Json = {}) => ({ body: ask(method, params), headers: {} });
    const modern = (method: string, params: Json = {}) => ({
      body: ask(method, { ...params, _meta: { ...META, ...params['_meta'] } }),
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((params['taskId'] ?? params['name']) ? { 'mcp-name': String(params['taskId'] ?? params['name']) } : {}),
      },
    });
    const asked = async (
      { key }: PlatformCaller,
      slug: string,
      { body, headers }: { body: Json; headers: Record<string, string> },
    ) => send(gateway, slug, body, { key, headers });

    for (const [era, form, taskIn] of [
      ['legacy', legacy, (result: Json) => result['task'].taskId],
      ['modern', modern, (result: Json) => result['taskId']],
    ] as const) {
      const begin = async (who: PlatformCaller, slug: string, name = 'echo') => {
        const { body } = await asked(who, slug, form('tools/call', { name, arguments: {}, task: {} }));
        return taskIn(body.result) as string;
      };
      const methods = era === 'legacy' ? ['tasks/get', 'tasks/result', 'tasks/cancel'] : ['tasks/get', 'tasks/cancel'];

      test(`${era}: a task id is sealed, and gives its actor access to the task`, async () => {
        const taskId = await begin(ada, 'first');
        assert.doesNotMatch(taskId, /raw/);
        for (const method of methods) {
          const { body } = await asked(ada, 'first', form(method, { taskId }));
          assert.match(seen.at(-1)!['params'].taskId, /^raw-\d+$/);
          const { result } = body;
          assert.equal(result.taskId ?? result._meta[RELATED].taskId, taskId, method);
        }
        const header = gateway.upstream.seen.at(-1)!.headers['mcp-name'];
        assert.match(header === undefined ? 'raw-0' : String(header), /^raw-\d+$/);
      });

      test(`${era}: another actor, another server and a raw id find no task, and get equal answers`, async () => {
        const taskId = await begin(ada, 'first');
        const raw = seen.length;
        const answers: string[] = [];
        for (const method of methods) {
          for (const [who, slug, id] of [
            [bob, 'first', taskId],
            [gateway.admin, 'first', taskId],
            [ada, 'second', taskId],
            [ada, 'first', 'raw-1'],
            [ada, 'first', `${taskId}=`],
            [ada, 'first', 'no-such-task'],
          ] as const) {
            const { text, status } = await asked(who, slug, form(method, { taskId: id }));
            answers.push(`${status} ${text}`);
          }
        }
        const expected = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Task not found"}}';
        assert.deepEqual([...new Set(answers)], [`200 ${expected}`]);
        assert.equal(seen.length, raw);
      });

      test(`${era}: a task is not found after a rule denies its call`, async () => {
        const taskId = await begin(ada, 'narrow');
        assert.ok('result' in (await asked(ada, 'narrow', form('tasks/get', { taskId }))).body);
        await gateway.allow('narrow', { capability: 'tool', pattern: 'other', effect: 'allow' });
        const before = seen.length;
        for (const method of methods) {
          assert.equal((await asked(ada, 'narrow', form(method, { taskId }))).body.error.message, 'Task not found');
        }
        assert.equal(seen.length, before);
        const listed = await asked(ada, 'narrow', legacy('tasks/list'));
        assert.deepEqual(listed.body.result.tasks, []);
        await gateway.allow('narrow');
      });

      test(`${era}: a message about another actor’s task is dropped`, async () => {
        const taskId = await begin(ada, 'first');
        const about = { name: 'echo', arguments: {}, _meta: { [RELATED]: { taskId } } };
        const before = seen.length;
        assert.ok('error' in (await asked(bob, 'first', form('tools/call', about))).body);
        assert.equal(seen.length, before);
        await asked(ada, 'first', form('tools/call', about));
        assert.match(seen.at(-1)!['params']._meta[RELATED].taskId, /^raw-/);
      });
    }

    test('modern: only a client that declares tasks may ask for one, and by the methods that there are', async () => {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const undeclared = modern(method, { taskId: 'raw-1' });
        undeclared.body['params']!._meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': {} };
        const { status, body } = await asked(ada, 'first', undeclared);
        const needed = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
        assert.deepEqual([status, body.error.code, body.error.data], [400, -32021, needed]);
      }
      for (const method of ['tasks/list', 'tasks/result', 'Tasks/Get']) {
        const { status, body } = await asked(ada, 'first', modern(method));
        assert.deepEqual([status, body.error.code], [404, -32601], method);
      }
      assert.deepEqual(seen, []);
    });

    test('a list of tasks holds only the actor’s own', async () => {
      const made = await asked(ada, 'second', legacy('tools/call', { name: 'echo', task: {} }));
      const other = await asked(bob, 'second', legacy('tools/call', { name: 'echo', task: {} }));
      const listed = await asked(ada, 'second', legacy('tasks/list'));
      const ids = listed.body.result.tasks.map(({ taskId }: Json) => taskId);
      assert.ok(ids.includes(made.body.result.task.taskId));
      assert.ok(!ids.includes(other.body.result.task.taskId));
      assert.doesNotMatch(listed.text, /raw-/);
    });

    test('a request without a valid task id, and tasks in a batch, are refused', async () => {
      for (const message of [
        ask('tasks/get'),
        ask('tasks/get', { taskId: 7 }),
        ask('Tasks/Get', { taskId: 'raw-1' }),
      ]) {
        assert.ok('error' in (await send(gateway, 'first', message, { key: ada.key })).body);
      }
      const batch = await send(gateway, 'first', [callTool('echo'), ask('tasks/get', { taskId: 'raw-1' })], ada);
      assert.equal(batch.status, 400);
      assert.deepEqual(seen, []);
    });

    test("a client's response about a task reaches the server under the server's own id", async () => {
      const made = await asked(ada, 'first', legacy('tools/call', { name: 'echo', task: {} }));
      const { taskId } = made.body.result.task;
      const answer = { jsonrpc: '2.0', id: 9, result: { action: 'accept', _meta: { [RELATED]: { taskId } } } };
      assert.equal((await send(gateway, 'first', answer, { key: ada.key })).status, 202);
      assert.match(seen.at(-1)!['result']._meta[RELATED].taskId, /^raw-/);
    });

    test('a stream reports only the tasks of its reader', async () => {
      const own = await asked(ada, 'first', legacy('tools/call', { name: 'echo', task: {} }));
      const { taskId } = own.body.result.task;
      await asked(ada, 'first', legacy('tasks/get', { taskId }));
      const raw = seen.at(-1)!['params'].taskId as string;
      const events = [
        { method: 'notifications/tasks/status', params: task('raw-of-another') },
        { method: 'notifications/progress', params: { _meta: { [RELATED]: { taskId: 'raw-of-another' } } } },
        { method: 'notifications/tasks/status', params: task(raw) },
        { method: 'notifications/message', params: { data: 'the end' } },
      ];
      gateway.upstream.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const one of events) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...one })}\n\n`);
      });
      const stream = await openStream(gateway, 'first', { key: ada.key });
      await stream.holds('the end');
      stream.close();
      gateway.upstream.answerWith(taskServer(seen));
      assert.ok(stream.text().includes(taskId));
      assert.doesNotMatch(stream.text(), /raw-/);
    });

    test('a subscriber to tasks gets notices of its own tasks', async () => {
      const made = await asked(ada, 'first', modern('tools/call', { name: 'echo' }));
      const { taskId } = made.body.result;
      const foreign = (await asked(bob, 'first', modern('tools/call', { name: 'echo' }))).body.result.taskId;
      const told: Json[] = [];
      gateway.upstream.answerWith(({ body }, response) => {
        const { notifications } = (JSON.parse(body) as Json)['params'];
        told.push(notifications);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const acknowledged = { method: 'notifications/subscriptions/acknowledged', params: { notifications } };
        const status = { method: 'notifications/tasks', params: task(notifications.taskIds[0]) };
        for (const one of [acknowledged, status, { method: 'notifications/message', params: { data: 'the end' } }]) {
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...one })}\n\n`);
        }
      });
      const wanted = { notifications: { taskIds: [taskId, foreign, 'raw-1'] } };
      const { body, headers } = modern('subscriptions/listen', wanted);
      const stream = await openStream(gateway, 'first', { key: ada.key, headers }, 'POST', body);
      await stream.holds('the end');
      stream.close();
      gateway.upstream.answerWith(taskServer(seen));
      assert.match(JSON.stringify(told), /^\[\{"taskIds":\["raw-\d+"\]\}\]$/);
      assert.doesNotMatch(stream.text(), /raw-/);
      assert.equal(stream.text().split(taskId).length, 3);
    });
  });
}
