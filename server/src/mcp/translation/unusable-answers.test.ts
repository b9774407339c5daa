import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { send, startGateway, type TestGateway } from '../../../test/support/gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

const EVENTS = { 'content-type': 'text/event-stream' };

describe('a stateless server with invalid answers', () => {
  let gateway: TestGateway;
  let session: Record<string, string>;

  const discovered = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    ttlMs: 0,
    cacheScope: 'private',
  };
  const bad: Record<string, (response: ServerResponse) => void> = {
    'says nothing': (response) => response.writeHead(200, EVENTS).end(),
    'answers without JSON': (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc"'),
    'answers without a message': (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":"mine"}');
    },
    fails: (response) => response.writeHead(500).end('broken'),
    'refuses the credential': (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  };

  before(async () => {
    gateway = await startGateway();
    gateway.upstream.answerWith(({ method, body }, response) => {
      const { id, method: asked, params } = method === 'POST' ? (JSON.parse(body) as Json) : ({} as Json);
      const how = bad[params?.name];
      if (how) return how(response);
      if (asked !== 'server/discover') return void response.writeHead(400).end();
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: discovered });
      if (params?._meta['io.modelcontextprotocol/clientInfo'].name === 'told first') {
        const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
        response.writeHead(200, EVENTS).end(`data: ${notice}\n\ndata: ${answer}\n\n`);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
    assert.equal((await gateway.register('new')).status, 201);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened = await send(gateway, 'new', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, gateway.admin);
    session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  });
  after(() => gateway.stop());

  test('a notice before the first answer does not replace that answer', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'told first', version: '1' },
    };
    const opened = await send(gateway, 'new', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, gateway.admin);
    assert.equal((opened.body as Json)['result'].protocolVersion, '2025-11-25');
    assert.equal(typeof opened.headers['mcp-session-id'], 'string');
  });

  for (const name of Object.keys(bad)) {
    test(`one that ${name} is an error for a client with a session`, async () => {
      const message = { jsonrpc: '2.0', id: 'mine', method: 'tools/call', params: { name } };
      const { status, body } = await send(gateway, 'new', message, { key: gateway.admin.key, headers: session });
      assert.equal(status, 502);
      assert.equal((body as Json)['id'], 'mine');
      if (name === 'refuses the credential') assert.match((body as Json)['error'].message, /credential that is stored/);
    });
  }
});
