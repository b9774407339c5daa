import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import { discover } from './discovery.ts';

describe('what a server offers', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  test('unknown names are called only where the server itself must answer them', async () => {
    const called: string[] = [];
    gateway.upstream.answerWith(({ body }, response) => {
      const { id, method } = JSON.parse(body || '{}');
      const isCall = /^(tools\/call|prompts\/get|resources\/read)$/.test(method);
      if (isCall) called.push(method);
      const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, prompts: {}, resources: {} } };
      const outcome = isCall ? { error: { code: -32602, message: 'Unknown name' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
    assert.equal((await gateway.register('usual')).status, 201);
    assert.deepEqual(called, []);
    const changed = await gateway.admin.patch(`${ORGANIZATION}/servers/usual`, { deniedAs: 'unknown' });
    assert.equal(changed.status, 200);
    assert.deepEqual(called, ['tools/call', 'prompts/get', 'resources/read']);
    await gateway.admin.patch(`${ORGANIZATION}/servers/usual`, { deniedAs: 'unknown', name: 'The usual one' });
    assert.equal(called.length, 3);
  });

  test('an endless list of offers is an error, and leaves no session open', async () => {
    assert.equal((await gateway.register('endless')).status, 201);
    let pages = 0;
    const ended: unknown[] = [];
    const tool = { name: 't', description: 'x'.repeat(1024 * 1024) };
    gateway.upstream.answerWith(({ method, body, headers }, response) => {
      if (method === 'DELETE') {
        ended.push(headers['mcp-session-id']);
        return void response.writeHead(200).end();
      }
      const { id, method: asked } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      if (asked === 'server/discover') return void response.writeHead(400).end();
      const initial = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'endless' } };
      const result = asked === 'initialize' ? initial : { tools: [tool], nextCursor: String(++pages) };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'to-be-ended' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const { status, body } = await gateway.admin.post(`${ORGANIZATION}/servers/endless/capabilities/refresh`);
    assert.equal(status, 200);
    assert.match(body.error, /larger than this gateway stores/);
    assert.ok(pages < 10, `${pages} pages`);
    assert.deepEqual(ended, ['to-be-ended']);
  });

  test('a slow list of many pages is not read for ever', async () => {
    let pages = 0;
    gateway.upstream.answerWith(({ body }, response) => {
      const { id, method } = JSON.parse(body);
      const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      const result = method === 'server/discover' ? discovered : { tools: [], nextCursor: String(++pages) };
      if (method === 'initialize') return void response.writeHead(400).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const options = { allowPrivate: true, answerSeconds: 10, connections: 1, maxAnswerBytes: 1024 };
    const upstream = await HttpUpstream.open(new URL(gateway.upstream.url), options);
    try {
      await assert.rejects(discover(upstream, { listsSeconds: 0 }), /took too long/);
    } finally {
      await upstream.close();
    }
    assert.ok(pages < 10, `${pages} pages`);
  });
});
