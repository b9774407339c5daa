import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { callTool, ORGANIZATION, send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { recordRequests } from '../../../test/support/request-records.ts';
import { databases } from '../../../test/support/server.ts';

const SECRET = 'sk-live-0123456789';
/** A text that must never reach a record: long, with control characters and a secret. */
const HOSTILE = `\u0000\u001b[31m${SECRET}\ud800${'x'.repeat(1024 * 1024)}`;

const resultOf = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
const errorOf = (id: unknown, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message, data: { secret: SECRET } } });
const json = (response: ServerResponse, body: string, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
const events = (response: ServerResponse, ...messages: string[]) =>
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(messages.map((message) => `data: ${message}\n\n`).join(''));

/** The answers of the upstream by the name of the tool. */
const answers: Readonly<Record<string, (response: ServerResponse, id: unknown) => unknown>> = {
  works: (response, id) => json(response, resultOf(id, { content: [], isError: false })),
  speaks_of_errors: (response, id) =>
    json(response, resultOf(id, { content: [{ type: 'text', text: '"isError":true,"error":{' }], isError: false })),
  holds_errors: (response, id) =>
    json(response, resultOf(id, { content: [], structuredContent: { isError: true, error: { code: 1 } } })),
  fails: (response, id) => json(response, resultOf(id, { content: [{ type: 'text', text: SECRET }], isError: true })),
  fails_in_events: (response, id) =>
    events(
      response,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { isError: true } }),
      resultOf(id, { content: [{ type: 'text', text: SECRET }], isError: true }),
    ),
  answers_error: (response, id) => json(response, errorOf(id, SECRET)),
  answers_400: (response, id) => json(response, errorOf(id, SECRET), 400),
  answers_500: (response) => json(response, HOSTILE, 500),
  answers_long: (response, id) => json(response, errorOf(id, HOSTILE)),
  answers_html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${SECRET}`),
  breaks: (response) => response.destroy(),
  refuses: (response) => response.writeHead(401, { 'www-authenticate': `Bearer ${SECRET}` }).end(SECRET),
};

for (const database of databases) {
  describe(`why requests failed, on ${database}`, () => {
    let gateway: TestGateway;
    let upstream: Server;

    before(async () => {
      gateway = await startGateway({ database });
      upstream = createServer(async (request, response) => {
        const body = await text(request);
        const message = body === '' ? {} : JSON.parse(body);
        const answer = answers[message.params?.name];
        if (answer) answer(response, message.id);
        else json(response, resultOf(message.id, {}));
      });
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
      const { port } = upstream.address() as AddressInfo;
      await gateway.register('target', {}, `http://127.0.0.1:${port}/mcp`);
      await gateway.register('away', {}, 'http://127.0.0.1:9/mcp');
    });

    after(async () => {
      upstream.closeAllConnections();
      upstream.close();
      await gateway.stop();
    });

    const recorded = async (server: string, tool: string) => {
      await send(gateway, server, callTool(tool), { key: gateway.admin.key }).catch(() => {});
      await gateway.server.recordsWritten();
      const answer = await gateway.admin.get(`${ORGANIZATION}/servers/${server}/requests?limit=1`);
      assert.ok(!answer.text.includes(SECRET) && answer.text.length < 2000, answer.text);
      const [record] = answer.body.items;
      assert.equal(record.capability, tool);
      return record;
    };
    const failed = async (server: string, tool: string) => {
      const { outcome, failure } = await recorded(server, tool);
      assert.equal(outcome, 'failed', tool);
      assert.ok(failure.cure.length > 10);
      return failure.reason;
    };

    test('a call that works has no failure, whatever its answer speaks of', async () => {
      for (const tool of ['works', 'speaks_of_errors', 'holds_errors']) {
        const { outcome, failure } = await recorded('target', tool);
        assert.deepEqual([outcome, failure], ['ok', null], tool);
      }
    });

    test('an error of the tool is a failure, and its text is not stored', async () => {
      assert.equal(await failed('target', 'fails'), 'The tool returned an error.');
      assert.equal(await failed('target', 'fails_in_events'), 'The tool returned an error.');
      assert.equal(await failed('target', 'answers_error'), 'The target answered with an error.');
      assert.equal(await failed('target', 'answers_400'), 'The target answered with an error.');
    });

    test('a target that is away, breaks off or answers nonsense is told apart', async () => {
      assert.match(await failed('away', 'works'), /refused the connection/);
      assert.match(await failed('target', 'breaks'), /closed the connection|broke/);
      assert.match(await failed('target', 'answers_500'), /status 500/);
      assert.match(await failed('target', 'answers_html'), /cannot forward the answer/);
      assert.match(await failed('target', 'refuses'), /credential/);
    });

    test('a long hostile error is forwarded, and leaves no text in the record', async () => {
      const { failure } = await recorded('target', 'answers_long');
      assert.ok(failure === null || failure.reason === 'The target answered with an error.');
    });

    test('a denied request has a cure, and is no failure of the target', async () => {
      await gateway.register('closed', {}, gateway.upstream.url);
      const member = await gateway.member('member@example.com');
      await gateway.allow('closed', { role: 'viewer', capability: 'tool', pattern: 'echo', effect: 'allow' });
      await send(gateway, 'closed', callTool('delete_file'), { key: member.key });
      await gateway.server.recordsWritten();
      const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/closed/requests?limit=1`);
      const [{ outcome, failure }] = body.items;
      assert.equal(outcome, 'denied');
      assert.equal(failure.reason, 'The caller may not do this.');
    });

    test('a record of an older version says nothing about its failure', async () => {
      const { body } = await gateway.admin.get(`${ORGANIZATION}/servers/target`);
      await recordRequests(gateway.server.server, body.id, [
        { occurred: gateway.server.server.clock.now(), capability: 'old', status: 502, error_code: -31502 },
      ]);
      const [{ outcome, failure }] = (await gateway.admin.get(`${ORGANIZATION}/servers/target/requests?capability=old`))
        .body.items;
      assert.deepEqual([outcome, failure], ['failed', null]);
    });
  });
}
