// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
/** Attacks by a caller on a server behind the gateway. Larger runs: SIGNALBOX_TEST_CALLS=100000. */
import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ask, callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { MODERN } from '../../../test/support/remix.ts';
import { stepsOf } from '../../../test/support/steps.ts';
import type { SeenRequest } from '../../../test/support/watched-upstream.ts';

const CALLS = Number(process.env['SIGNALBOX_TEST_CALLS'] ?? 500);
const CLIENTS = 500;

/** Runs `work` for each number below `count`, several at a time. */
async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

describe('attacks by callers', () => {
  let gateway: TestGateway;
  let key: string;

  before(async () => {
    gateway = await startGateway();
    await gateway.register('external', { external: { url: gateway.upstream.url } });
    await gateway.register('hosted', { kind: 'hosted' });
    await gateway.register('narrow');
    await gateway.allow(
      'narrow',
      { capability: 'tool', pattern: '*', effect: 'allow' },
      { capability: 'tool', pattern: 'delete_file', effect: 'deny' },
      { capability: 'tool', pattern: 'résumé', effect: 'deny' },
    );
    await gateway.register('listed');
    await gateway.allow('listed', { capability: 'tool', pattern: 'echo', effect: 'allow' });
    key = (await gateway.member('member@example.com')).key;
  });
  beforeEach(() => {
    gateway.upstream.seen.length = 0;
  });
  after(() => gateway.stop());

  test(`the caller’s key, cookie, session and internal headers reach no server in ${CALLS} calls`, async () => {
    const initialize = ask('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    const opened = await Promise.all(
      ['external', 'hosted'].map(
        async (slug) => (await send(gateway, slug, initialize, { key })).headers['mcp-session-id'],
      ),
    );
    const spoofed = {
      'signalbox-actor': 'spoofed',
      'Signalbox-Actor-Type': 'spoofed',
      'SIGNALBOX-ACTOR-EMAIL': 'spoofed',
      'signalbox-organization-role': 'spoofed',
      'signalbox-server-role': 'spoofed',
      'signalbox-anything': 'spoofed',
    };
    const secrets = [key, 'cookie-secret', 'proxy-secret', 'spoofed', ...opened.map(String)];
    gateway.upstream.seen.length = 0;
    let checked = 0;
    const leaks: string[] = [];
    const check = (request: SeenRequest) => {
      checked += 1;
      const text = JSON.stringify(request.headers) + request.body + request.url;
      leaks.push(...secrets.filter((secret) => text.includes(secret)));
    };
    await inParallel(CALLS, 16, async (index) => {
      const slug = index % 2 === 0 ? 'external' : 'hosted';
      const withSession: Record<string, string> =
        index % 3 === 0 ? { 'mcp-session-id': String(opened[index % 2]) } : {};
      const { status } = await gateway.request(
        'POST',
        `${servingUrl(slug)}?key=${key}`,
        JSON.stringify(callTool('echo', {}, index)),
        {
          authorization: `Bearer ${key}`,
          cookie: 'session=cookie-secret',
          'proxy-authorization': 'Basic proxy-secret',
          'content-type': 'application/json',
          'x-forwarded-authorization': key,
          ...spoofed,
          ...withSession,
        },
      );
      assert.equal(status, 200);
      for (const request of gateway.upstream.seen.splice(0)) check(request);
    });
    assert.deepEqual(leaks, []);
    assert.equal(checked, CALLS);
  });

  test('only the gateway tells a hosted server who calls', async () => {
    await send(gateway, 'hosted', callTool('echo'), { key, headers: { 'signalbox-server-role': 'admin' } });
    const { headers } = gateway.upstream.seen[0]!;
    assert.equal(headers['signalbox-actor-type'], 'user');
    assert.equal(headers['signalbox-actor-email'], 'member@example.com');
    assert.equal(headers['signalbox-organization-role'], 'member');
    assert.equal(headers['signalbox-server-role'], 'viewer');
    assert.equal(headers.authorization, undefined);
  });

  test('a client says nothing in the name of the gateway, on every way to a server', async () => {
    const names = [
      'actor',
      'actor-type',
      'actor-email',
      'organization-role',
      'server-role',
      'token',
      'anything',
    ].flatMap((name) => [
      `signalbox-${name}`,
      `Signalbox_${name.replaceAll('-', '_')}`,
      `SIGNALBOX-${name.replaceAll('-', '_')}`,
    ]);
    const forwarded = ['forwarded', 'x-real-ip', 'x-forwarded-for', 'x_forwarded_for', 'X-Forwarded_Host'];
    const spoofed = Object.fromEntries([...names, ...forwarded].map((name) => [name, 'spoofed']));
    await gateway.register('own-authentication', { kind: 'hosted', authentication: 'none' });
    for (const slug of ['external', 'hosted']) {
      const remix = { sources: [{ server: slug, tools: [{ name: 'echo' }] }] };
      const made = await gateway.register(`mixed-${slug}`, { kind: 'remix', external: undefined, remix });
      assert.equal(made.status, 201, made.text);
    }
    const modern = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    for (const slug of ['own-authentication', 'hosted', 'external', 'mixed-hosted', 'mixed-external']) {
      for (const message of [
        callTool('echo'),
        ask('tools/list'),
        ask('initialize', { protocolVersion: '2025-11-25' }),
      ]) {
        await send(gateway, slug, message, { key, headers: spoofed });
      }
      const stateless = ask('tools/call', { name: 'echo', arguments: {}, _meta: MODERN });
      const last = await send(gateway, slug, stateless, { key, headers: { ...spoofed, ...modern } });
      const seen = gateway.upstream.seen.splice(0);
      assert.ok(seen.length > 0, `${slug}: ${last.text}`);
      for (const { headers } of seen) assert.doesNotMatch(JSON.stringify(headers), /spoofed/, slug);
    }
  });

  test(`each of ${CLIENTS} clients with equal ids gets its own answer`, async () => {
    const agent = new Agent({ keepAlive: true });
    const { hostname, port } = new URL(gateway.origin);
    const callAs = (client: number, id: number) =>
      new Promise<{ id: number; result: { content: { text: string }[] } }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const request = httpRequest({ agent, hostname, port, method: 'POST', path: servingUrl('external'), headers });
        request.on('error', reject).on('response', (response) => {
          let text = '';
          response.on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve(JSON.parse(text)));
        });
        request.end(JSON.stringify(callTool('echo', { client, id }, id)));
      });
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let id = 1; id <= 4; id++) {
          const answer = await callAs(client, id);
          assert.equal(answer.id, id);
          assert.deepEqual(JSON.parse(answer.result.content[0]?.text ?? ''), { client, id });
        }
      }),
    );
    agent.destroy();
  });

  const reach = async (slug: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    gateway.upstream.seen.length = 0;
    const answer = await gateway.request('POST', servingUrl(slug), body, {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...headers,
    });
    return { answer, seen: gateway.upstream.seen.map(({ body: text }) => text) };
  };

  const call = (name: string) => JSON.stringify(callTool(name));
  const ambiguous: readonly (readonly [what: string, body: string | Buffer, headers?: Record<string, string>])[] = [
    ['a name twice', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"delete_file"}}'],
    [
      'a name twice, the denied one first',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","name":"echo"}}',
    ],
    [
      'a name twice, once escaped',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","n\\u0061me":"delete_file"}}',
    ],
    [
      'a method twice',
      '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete_file"}}',
    ],
    [
      'parameters twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"params":{"name":"delete_file"}}',
    ],
    [
      'a name in another case',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"delete_file"}}',
    ],
    [
      'a method in another case',
      '{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{"name":"delete_file"}}',
    ],
    [
      'parameters in another case',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"Params":{"name":"delete_file"}}',
    ],
    [
      'a name with a long s',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"delete_file"},"params":{"name":"echo"}}',
    ],
    ['two texts', `${call('echo')}${call('delete_file')}`],
    ['two lines', `${call('echo')}\n${call('delete_file')}`],
    ['a NUL after it', `${call('echo')}\0`],
    ['a byte order mark', `\ufeff${call('delete_file')}`],
    ['UTF-16', Buffer.from(call('delete_file'), 'utf16le')],
    ['UTF-7', call('+AGQ-elete_file'), { 'content-type': 'application/json; charset=utf-7' }],
    ['bytes that are no UTF-8', Buffer.from(call('echo').replace('echo', 'ech\xff'), 'latin1')],
    ['an encoding', call('echo'), { 'content-encoding': 'gzip' }],
    ['a form', 'name=delete_file', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no JSON-RPC', '{"id":1,"method":"tools/call","params":{"name":"echo"}}'],
    ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"result":{}}'],
    ['parameters in a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["delete_file"]}'],
    ['an id that is none', '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo"}}'],
    ['an id beyond all numbers', '{"jsonrpc":"2.0","id":1e999,"method":"tools/call","params":{"name":"echo"}}'],
    [
      'very deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
    ],
    ['an empty batch', '[]'],
    ['nothing', ''],
    ['a batch with one denied', `[${call('echo')},${call('delete_file')}]`],
    ['a call without an id', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_file"}}'],
    ['an allowed call without an id', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}'],
    ['a method in capitals', '{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"delete_file"}}'],
    ['a method in wide letters', '{"jsonrpc":"2.0","id":1,"method":"ｔools/call","params":{"name":"delete_file"}}'],
    [
      'a call without an id in a batch',
      `[${call('echo')},{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_file"}}]`,
    ],
    ['a batch in a batch', `[[${call('delete_file')}]]`],
    [
      'a batch with a name twice',
      '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"delete_file"}}]',
    ],
    ['a batch in the stateless revision', `[${call('echo')}]`, { 'mcp-protocol-version': '2026-07-28' }],
    ['a batch beside the header of one message', `[${call('echo')}]`, { 'mcp-name': 'delete_file' }],
    ['a header with another method', call('echo'), { 'mcp-method': 'ping' }],
    ['a header with another name', call('echo'), { 'mcp-name': 'delete_file' }],
    ['a header with another name in base64', call('echo'), { 'mcp-name': `=?base64?${btoa('delete_file')}?=` }],
    ['a header with another case', call('echo'), { 'mcp-name': 'Echo' }],
    [
      'a header with another revision',
      JSON.stringify(
        ask('tools/call', { name: 'echo', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
      ),
      { 'mcp-protocol-version': '2025-11-25' },
    ],
    ['the stateless revision without its headers', call('echo'), { 'mcp-protocol-version': '2026-07-28' }],
    ['a header beside an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', { 'mcp-method': 'tools/call' }],
  ];

  for (const [what, body, headers] of ambiguous) {
    test(`${what}: refused before it reaches the server`, async () => {
      const { answer, seen } = await reach('narrow', body, headers);
      assert.deepEqual(seen, []);
      assert.ok(answer.status === 415 || [answer.body].flat().every((one) => 'error' in one), answer.text);
      assert.ok(answer.status < 500);
    });
  }

  test('a name that resembles an allowed or a denied name is a different name', async () => {
    const lookalikes = [
      'Echo',
      'ECHO',
      'echo ',
      ' echo',
      'echo\0',
      'echo\n',
      'есho',
      'ｅcho',
      'e\u0301cho',
      'echo\u200b',
      '=?base64?ZWNobw==?=',
    ];
    for (const name of lookalikes) {
      const { answer, seen } = await reach('listed', call(name));
      assert.deepEqual([answer.status, answer.body.error.code], [403, -31403], name);
      assert.deepEqual(seen, []);
    }
    for (const name of ['delete_file', 'd\\u0065lete_file', 'delete\\u005ffile', 'résumé']) {
      const { seen } = await reach('narrow', call('X').replace('X', name));
      assert.deepEqual(seen, [], name);
    }
    const decomposed = await reach('narrow', call('re\u0301sume\u0301'));
    assert.deepEqual(
      decomposed.seen.map((text) => JSON.parse(text).params.name),
      ['re\u0301sume\u0301'],
    );
  });

  test('a tool that the server adds later is denied until a rule allows it', async () => {
    const tools = ['echo', 'added'].map((name) => ({ name }));
    gateway.upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } }));
    });
    const { answer } = await reach('listed', JSON.stringify(ask('tools/list')));
    gateway.upstream.answerWith(undefined);
    assert.deepEqual(answer.body.result.tools, [{ name: 'echo' }]);
    const { seen } = await reach('listed', call('added'));
    assert.deepEqual(seen, []);
  });

  test('bodies that are built to be slow take a few steps for each character', async () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":0`).join();
    const many = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","arguments":{${keys}}}}`;
    const slashes = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","a":"${'\\\\'.repeat(500_000)}"}}`;
    const quotes = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_file","a":"${'\\"'.repeat(500_000)}"}}`;
    for (const body of [many, slashes, quotes, call('a'.repeat(4_000_000))]) {
      const steps = await stepsOf(async () => assert.deepEqual((await reach('listed', body)).seen, []));
      assert.ok(steps < 6 * body.length, `${steps} steps for ${body.length} characters`);
    }
  });
});
