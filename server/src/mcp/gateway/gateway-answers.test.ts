/** Answers as servers and the proxies before them give them: compressed, in another form than they say, or with a status alone. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import {
  ask,
  callTool,
  openStream,
  send,
  servingUrl,
  startGateway,
  type TestGateway,
} from '../../../test/support/gateway.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const RESULT = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}';
const LIST = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo"},{"name":"hidden"}]}}';

describe('odd answers of servers behind the gateway', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway();
    await gateway.register('plain');
    await gateway.register('narrow');
    await gateway.register('own', { kind: 'hosted', authentication: 'none' });
    await gateway.allow('narrow', { capability: 'tool', pattern: 'echo', effect: 'allow' });
    key = (await gateway.member('member@example.com')).key;
  });
  beforeEach(() => gateway.upstream.answerWith(undefined));
  after(() => gateway.stop());

  const answer = (status: number, headers: Record<string, string>, body: string | Buffer = '') =>
    gateway.upstream.answerWith((_request, response) => response.writeHead(status, headers).end(body));
  const call = (slug = 'plain') => send(gateway, slug, callTool('echo'), { key });
  const list = (slug: string) => send(gateway, slug, ask('tools/list'), { key });
  /** The messages of an answer of either form. */
  const messages = ({ text }: { text: string }) =>
    text.startsWith('{') ? [JSON.parse(text)] : text.split('\n\n').flatMap((event) => dataIn(event));
  const dataIn = (event: string) => {
    const data = event.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
    return data.length === 0 ? [] : [JSON.parse(data.join('\n'))];
  };

  const codings: Record<string, (text: Buffer) => Buffer> = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    GZIP: gzipSync,
    deflate: deflateSync,
    'deflate ': deflateRawSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  };
  for (const [coding, encode] of Object.entries(codings)) {
    test(`an answer in ${coding} is decoded, as JSON and as events, filtered or not`, async () => {
      for (const large of [false, true]) {
        const result = large ? RESULT.replace('hello', 'h'.repeat(300_000)) : RESULT;
        answer(200, { ...JSON_TYPE, 'content-encoding': coding }, encode(Buffer.from(result)));
        const plain = await call();
        assert.deepEqual([plain.status, plain.text], [200, result]);
        assert.equal(plain.headers['content-encoding'], undefined);
        answer(200, { ...EVENTS, 'content-encoding': coding }, encode(Buffer.from(`data: ${result}\n\n`)));
        assert.deepEqual(messages(await call()), [JSON.parse(result)]);
      }
      answer(200, { ...JSON_TYPE, 'content-encoding': coding }, encode(Buffer.from(LIST)));
      assert.deepEqual((await list('narrow')).body.result.tools, [{ name: 'echo' }]);
    });
  }

  test('events of a compressed stream arrive as they are sent', async () => {
    gateway.upstream.answerWith((_request, response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }));
      gzip.write('data: {"jsonrpc":"2.0","method":"notifications/one"}\n\n');
      gzip.flush(constants.Z_SYNC_FLUSH);
    });
    for (const slug of ['plain', 'narrow']) {
      const stream = await openStream(gateway, slug, { key });
      while (!stream.text().includes('notifications/one')) await new Promise((resolve) => setImmediate(resolve));
      stream.close();
    }
  });

  test('an answer that is not encoded as it says, or in another way, is an error that says so', async () => {
    const whole = gzipSync(Buffer.from(RESULT));
    for (const body of [RESULT, whole.subarray(0, whole.length - 9), Buffer.from([0x1f, 0x8b, 8, 0xff])]) {
      answer(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, body);
      const { status, body: told } = await call();
      assert.deepEqual([status, told.id], [502, 1]);
      assert.equal(told.error.message, 'The answer of the server does not match its Content-Encoding.');
    }
    answer(200, { ...JSON_TYPE, 'content-encoding': 'compress' }, RESULT);
    assert.equal((await call()).status, 502);
    answer(202, { 'content-encoding': 'gzip' });
    assert.equal((await send(gateway, 'plain', { jsonrpc: '2.0', method: 'notifications/x' }, { key })).status, 202);
  });

  test('a server that authenticates its callers itself keeps its encoding', async () => {
    const encoded = gzipSync(Buffer.from(RESULT));
    answer(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, encoded);
    const headers = { 'content-type': 'application/json' };
    const told = await gateway.request('POST', servingUrl('own'), JSON.stringify(callTool('echo')), headers);
    assert.equal(told.headers['content-encoding'], 'gzip', `${told.status} ${told.text}`);
    assert.equal(Number(told.headers['content-length']), encoded.length);
  });

  test('JSON that is called an event stream is read, and events that are called JSON', async () => {
    for (const text of [RESULT, `\uFEFF ${RESULT}`, JSON.stringify(JSON.parse(RESULT), null, 2)]) {
      answer(200, EVENTS, text);
      assert.deepEqual(messages(await call()), [JSON.parse(RESULT)]);
    }
    answer(200, EVENTS, LIST);
    assert.deepEqual(messages(await list('narrow'))[0].result.tools, [{ name: 'echo' }]);
    for (const event of [`data: ${RESULT}\n\n`, `event: message\ndata: ${RESULT}\n\n`, `: hi\n\ndata: ${RESULT}\n\n`]) {
      answer(200, JSON_TYPE, event);
      const told = await call();
      assert.equal(told.headers['content-type'], 'text/event-stream');
      assert.deepEqual(messages(told), [JSON.parse(RESULT)]);
    }
    answer(200, JSON_TYPE, `data: ${LIST}\n\n`);
    assert.deepEqual(messages(await list('narrow'))[0].result.tools, [{ name: 'echo' }]);
  });

  test('a status without a message is an error of the gateway that says which it was', async () => {
    const expected: Record<number, number> = { 429: 503, 503: 503, 504: 504, 408: 504 };
    for (const status of [400, 403, 404, 405, 408, 410, 418, 429, 500, 501, 502, 503, 504]) {
      for (const [type, body] of [
        ['text/plain', 'no'],
        ['text/html', '<html>'],
        ['application/json', '{"error":"no"}'],
        ['application/json', ''],
      ] as const) {
        answer(status, { 'content-type': type, 'retry-after': '7' }, body);
        const told = await call();
        const name = `${status} ${type} ${body}`;
        assert.deepEqual([told.status, told.body.id], [expected[status] ?? 502, 1], name);
        assert.match(told.body.error.message, new RegExp(`status ${status}\\b`), name);
        assert.deepEqual(told.body.error.data, { status, retryAfter: '7' }, name);
        assert.equal(told.headers['retry-after'], '7', name);
      }
    }
  });

  test('a status that means something to clients is not passed on with a message of the server', async () => {
    const own = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"own words"}}';
    const statuses: Record<number, number> = { 400: 400, 403: 200, 404: 200, 405: 200, 410: 200, 429: 200, 500: 500 };
    for (const [came, given] of Object.entries(statuses)) {
      answer(Number(came), JSON_TYPE, own);
      const told = await call();
      assert.deepEqual([told.status, told.text], [given, own], came);
    }
    for (const status of [403, 500]) {
      answer(status, JSON_TYPE, own.replace('1,', 'null,'));
      const told = await call();
      assert.deepEqual([told.status, told.body.id], [502, 1]);
    }
    answer(400, JSON_TYPE, own.replace('1,', 'null,'));
    assert.equal((await call()).status, 400);
  });

  test('404 tells a client that its session has ended only when the server says so', async () => {
    const initialized = await send(gateway, 'plain', ask('initialize', { protocolVersion: '2025-06-18' }), { key });
    const session = { key, headers: { 'mcp-session-id': String(initialized.headers['mcp-session-id']) } };
    const called = () => send(gateway, 'plain', callTool('echo'), session);
    const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}';
    for (const [type, body, status] of [
      ['application/json', error, 404],
      ['text/plain', 'Session not found', 404],
      ['text/html', '<html>404 not found', 502],
      ['text/plain', '', 502],
    ] as const) {
      answer(404, { 'content-type': type }, body);
      assert.equal((await called()).status, status, body);
    }
  });

  test('a server without a stream answers a GET with 405, in whatever way it says so', async () => {
    const get = () => fetch(gateway.origin + servingUrl('plain'), { headers: { authorization: `Bearer ${key}` } });
    for (const status of [400, 404, 405, 406, 501]) {
      answer(status, { 'content-type': 'text/plain', allow: 'POST' }, 'no');
      assert.equal((await get()).status, 405, String(status));
    }
    for (const [status, given] of [
      [403, 502],
      [429, 503],
      [500, 502],
    ] as const) {
      answer(status, { 'content-type': 'text/plain' }, 'no');
      assert.equal((await get()).status, given, String(status));
    }
  });
});
