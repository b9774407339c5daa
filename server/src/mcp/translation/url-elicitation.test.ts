/** Pages that servers ask people to open reach clients of both eras, through servers of both and through remixes. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ask, ORGANIZATION, openStream, send, servingUrl } from '../../../test/support/gateway.ts';
import type { PlatformCaller } from '../../../test/support/platform.ts';
import { startRemix, type TestRemix } from '../../../test/support/remix.ts';
import type { Answering } from '../../../test/support/watched-upstream.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a message is its own assertion
type Json = Record<string, any>;

const PAGE = { mode: 'url', elicitationId: 'same-id', url: 'https://bank.example/allow', message: 'Allow it there.' };
const PAGES = { elicitation: { url: {} } };
const META = 'io.modelcontextprotocol/';

const json = (response: ServerResponse, message: Json) => {
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'its-own' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
};
const event = (message: Json) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
function messagesIn(stream: string): Json[] {
  return stream.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Json] : []));
}

const DONE = { content: [{ type: 'text', text: 'done' }] };

/** Refuses a call until the page has been opened; `ask_first` asks during the call in place of that. */
class LegacyServer {
  readonly seen: Json[] = [];
  isOpened = false;
  #finish: (() => void) | undefined;

  readonly answering: Answering = ({ method, body }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Json;
    this.seen.push(message);
    const { id, method: asked, params } = message;
    if (asked === undefined) this.#finish?.();
    if (id === undefined || asked === undefined) return void response.writeHead(202).end();
    const serverInfo = { name: 'old', version: '1' };
    const opened = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    if (asked === 'initialize') return json(response, { id, result: opened });
    const tools = ['pay', 'ask_first'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    if (asked === 'tools/list') return json(response, { id, result: { tools } });
    if (asked !== 'tools/call') return json(response, { id, error: { code: -32601, message: 'Method not found' } });
    if (params.name === 'ask_first') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event({ id: 5, method: 'elicitation/create', params: PAGE }));
      this.#finish = () => {
        const params = { elicitationId: PAGE.elicitationId };
        response.end(event({ method: 'notifications/elicitation/complete', params }) + event({ id, result: DONE }));
      };
      return undefined;
    }
    const error = { code: -32042, message: 'A page must be opened.', data: { elicitations: [PAGE] } };
    return json(response, this.isOpened ? { id, result: DONE } : { id, error });
  };
}

/** Asks for the page until it gets an answer. */
const modernAnswering: Answering = ({ body }, response) => {
  const { id, method, params } = JSON.parse(body === '' ? '{}' : body) as Json;
  const { elicitationId: _id, ...page } = PAGE;
  const results: Json = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
    'tools/call': params?.inputResponses
      ? { content: [{ type: 'text', text: JSON.stringify(params.inputResponses) }] }
      : { resultType: 'input_required', inputRequests: { p: { method: 'elicitation/create', params: page } } },
  };
  if (!results[method]) return void response.writeHead(400).end();
  return json(response, {
    id,
    result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results[method] },
  });
};

describe('pages that a server asks to open', () => {
  let remix: TestRemix;
  let ada: PlatformCaller;
  const old = new LegacyServer();

  before(async () => {
    remix = await startRemix({ old: {}, new: {}, other: {} });
    const { gateway, sources } = remix;
    for (const slug of ['old', 'other']) sources[slug]!.answerWith(old.answering);
    sources['new']!.answerWith(modernAnswering);
    for (const [slug, era] of Object.entries({ old: 'legacy', new: 'modern', other: 'legacy' })) {
      assert.equal(
        (await gateway.admin.patch(`${ORGANIZATION}/servers/${slug}`, { defaultRole: 'viewer' })).status,
        200,
      );
      const { body, text } = await gateway.admin.post(`${ORGANIZATION}/servers/${slug}/capabilities/refresh`);
      assert.deepEqual(body.eras, [era], text);
    }
    const saved = await remix.save('mix', [
      { server: 'old', tools: [{ name: 'pay' }, { name: 'ask_first' }] },
      { server: 'other', tools: [{ name: 'pay', as: 'pay_other' }] },
    ]);
    assert.equal(saved.status, 201, saved.text);
    ada = await gateway.member('ada@example.com');
  });
  after(() => remix.stop());

  const session = async (slug: string, capabilities: Json = PAGES) => {
    const initial = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'c', version: '1' } };
    const { headers } = await send(remix.gateway, slug, ask('initialize', initial), ada);
    return { key: ada.key, headers: { 'mcp-session-id': String(headers['mcp-session-id']) } };
  };
  const pay = (name = 'pay') => ask('tools/call', { name, arguments: {} });
  const modern = (slug: string, more: Json = {}, capabilities: Json = PAGES) =>
    send(
      remix.gateway,
      slug,
      ask('tools/call', {
        name: 'pay',
        arguments: {},
        ...more,
        _meta: { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: capabilities },
      }),
      {
        key: ada.key,
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'pay' },
      },
    );

  test('the error of a server with sessions passes, and its record has the code', async () => {
    old.isOpened = false;
    const call = await session('old');
    const { body } = await send(remix.gateway, 'old', pay(), call);
    assert.deepEqual(body.error.data.elicitations, [PAGE]);
    await remix.gateway.server.recordsWritten();
    const { body: records } = await remix.gateway.admin.get(`${ORGANIZATION}/servers/old/requests?limit=1`);
    assert.equal(records.items[0].errorCode, -32042);
    assert.equal(records.items[0].capability, 'pay');
  });

  test('a remix tells the pages of its sources apart', async () => {
    old.isOpened = false;
    const call = await session('mix');
    const ids = [];
    for (const name of ['pay', 'pay_other']) {
      const { body } = await send(remix.gateway, 'mix', pay(name), call);
      assert.equal(body.error.code, -32042);
      const [{ elicitationId, ...page }] = body.error.data.elicitations;
      assert.deepEqual({ ...page, elicitationId: PAGE.elicitationId }, PAGE);
      ids.push(elicitationId);
    }
    assert.equal(new Set(ids).size, 2);
  });

  test('a remix asks during a call, takes the answer to its source, and says when the page is done', async () => {
    const call = await session('mix');
    const stream = await openStream(remix.gateway, 'mix', call, 'POST', pay('ask_first'));
    await stream.holds('\n\n');
    const question = messagesIn(stream.text())[0]!;
    assert.equal(question['params'].url, PAGE.url);
    const answer = { jsonrpc: '2.0', id: question['id'], result: { action: 'accept' } };
    assert.equal((await send(remix.gateway, 'mix', answer, call)).status, 202);
    await stream.holds('"done"');
    await stream.ended;
    assert.deepEqual([old.seen.at(-1)?.['id'], old.seen.at(-1)?.['result']], [5, { action: 'accept' }]);
    const complete = messagesIn(stream.text()).find(({ method }) => method === 'notifications/elicitation/complete');
    assert.equal(complete?.['params'].elicitationId, question['params'].elicitationId);
  });

  for (const slug of ['old', 'mix']) {
    test(`a stateless client is asked in its own way, and its answer is not passed on: ${slug}`, async () => {
      old.isOpened = false;
      const { body, status } = await modern(slug);
      assert.equal(status, 200);
      const { resultType, inputRequests } = body.result;
      assert.equal(resultType, 'input_required');
      const [[key, question]] = Object.entries<Json>(inputRequests) as [[string, Json]];
      const { elicitationId: _id, ...page } = PAGE;
      assert.deepEqual(question, { method: 'elicitation/create', params: page });
      const declined = await modern(slug, { inputResponses: { [key]: { action: 'decline' } } });
      assert.match(declined.body.error.message, /the client declined/);
      old.isOpened = true;
      const again = await modern(slug, { inputResponses: { [key]: { action: 'accept' } } });
      assert.deepEqual(again.body.result.content, DONE.content);
      const last = old.seen.at(-1)!;
      assert.deepEqual(Object.keys(last['params']).sort(), ['arguments', 'name']);
    });

    test(`a stateless client that cannot open pages is told what it lacks: ${slug}`, async () => {
      old.isOpened = false;
      const { body, status } = await modern(slug, {}, {});
      assert.deepEqual([status, body.error.code], [400, -32021]);
      assert.deepEqual(body.error.data, { requiredCapabilities: PAGES });
    });
  }

  test('a client with a session opens the page that a stateless server asks for', async () => {
    const call = await session('new');
    const stream = await openStream(remix.gateway, 'new', call, 'POST', pay());
    await stream.holds('\n\n');
    const question = messagesIn(stream.text())[0]!;
    const { elicitationId, ...page } = question['params'];
    assert.deepEqual({ ...page, elicitationId: PAGE.elicitationId }, PAGE);
    await send(remix.gateway, 'new', { jsonrpc: '2.0', id: question['id'], result: { action: 'accept' } }, call);
    await stream.holds('accept');
    await stream.ended;
    const complete = messagesIn(stream.text()).find(({ method }) => method === 'notifications/elicitation/complete');
    assert.equal(complete?.['params'].elicitationId, elicitationId);
  });

  test('a client with a session that cannot open pages gets an error in place of the question', async () => {
    const call = await session('new', { elicitation: {} });
    const { body } = await send(remix.gateway, 'new', pay(), call);
    assert.match(body.error.message, /open a page, which the client does not support/);
    const ended = await remix.gateway.request('DELETE', servingUrl('new'), undefined, {
      authorization: `Bearer ${ada.key}`,
      ...call.headers,
    });
    assert.equal(ended.status, 200);
  });
});
