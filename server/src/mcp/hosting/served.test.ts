/** Hosted servers as MCP clients see them: at their serving URL, behind the gateway. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deployCommand, hostedServer, makePrograms, type Programs } from '../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { until } from '../../../test/support/until.ts';

const ANSWERS = `
const tools = [{ name: 'headers', inputSchema: { type: 'object' } }, { name: 'crash', inputSchema: { type: 'object' } }];
function answerTo({ id, method, params }, headers) {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' } };
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') return undefined;
  if (params.name === 'crash') process.exit(1);
  return { content: [{ type: 'text', text: JSON.stringify(headers) }] };
}
const reply = (message, headers) => {
  const result = answerTo(message, headers);
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) });
};
`;
const HTTP = `
import { createServer } from 'node:http';
${ANSWERS}
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const message = JSON.parse(body || '{}');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(reply(message, request.headers));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const STDIO = `
import { createInterface } from 'node:readline';
${ANSWERS}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined) process.stdout.write(reply(message, {}) + '\\n');
});
`;

describe('a hosted server at its serving URL', () => {
  let server: TestServer;
  let programs: Programs;
  let admin: PlatformCaller;
  let url: string;
  before(async () => {
    server = await startServer({ config: { hosting: 'process', apiAuth: 'key' } });
    admin = await person(server, 'ada@example.com', 'admin');
    programs = await makePrograms();
    url = (await server.listen()).replace(/^ws/, 'http').replace(/\/api$/, '');
  });
  after(async () => {
    await server.stop();
    await programs.remove();
  });

  async function served(slug: string, transport: 'http' | 'stdio', code: string): Promise<string> {
    const id = await hostedServer(server, slug, { transport });
    await deployCommand(server, id, await programs.node(slug, code));
    return id;
  }
  async function send(slug: string, body: object, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}/servers/default/${slug}/mcp`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${admin.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    const text = await response.text();
    const session = response.headers.get('mcp-session-id');
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined, session };
  }
  const headerOf = ({ session }: { session: string | null }): Record<string, string> =>
    session === null ? {} : { 'mcp-session-id': session };
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const call = (name: string) => ({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name, arguments: {} } });

  test('over HTTP, the process learns who calls, and gets no credential', async () => {
    await served('over-http', 'http', HTTP);
    const first = await send('over-http', initialize, { 'signalbox-actor': 'forged', cookie: 'a=b' });
    assert.equal(first.status, 200, first.text);
    const forged = { 'signalbox-actor': 'forged', cookie: 'a=b' };
    const answer = await send('over-http', call('headers'), { ...forged, ...headerOf(first) });
    const headers = JSON.parse(answer.body.result.content[0].text);
    assert.equal(headers['signalbox-actor'], (admin as PlatformCaller & { id: string }).id);
    assert.equal(headers['signalbox-actor-type'], 'user');
    assert.equal(headers['authorization'], undefined);
    assert.equal(headers['cookie'], undefined);
    assert.ok(!JSON.stringify(headers).includes(admin.key));
  });

  test('over stdin and stdout, the gateway seals the session of the process', async () => {
    const id = await served('over-stdio', 'stdio', STDIO);
    const first = await send('over-stdio', initialize);
    assert.equal(first.status, 200, first.text);
    const header = headerOf(first);
    const list = await send('over-stdio', { jsonrpc: '2.0', id: 2, method: 'tools/list' }, header);
    assert.equal(list.body.result.tools.length, 2);
    assert.equal((await send('over-stdio', { jsonrpc: '2.0', id: 2, method: 'tools/list' })).status >= 400, true);
    const crash = await send('over-stdio', call('crash'), header);
    assert.ok(crash.status === 502 || crash.body.error, crash.text);
    await until('the crash is noticed', () => server.server.hosting.report(id).failures === 1);
    assert.equal((await send('over-stdio', call('headers'), header)).status, 404, 'the client initializes again');
    assert.equal((await send('over-stdio', initialize)).status, 200);
  });

  test('a program with sessions serves clients of the newest revision, with one process for each actor', async () => {
    const id = await served('translated', 'stdio', STDIO);
    const refreshed = await admin.post('/organizations/default/servers/translated/capabilities/refresh');
    assert.deepEqual([refreshed.status, refreshed.body.eras], [200, ['legacy']], refreshed.text);
    const list = (key: string) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      return send(
        'translated',
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } },
        { authorization: `Bearer ${key}`, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
      );
    };
    const other = await person(server, 'bob@example.com', 'admin');
    for (const { key } of [admin, other]) {
      const { status, body } = await list(key);
      assert.deepEqual([status, body.result.tools.length, body.result.resultType], [200, 2, 'complete']);
    }
    assert.equal(server.server.hosting.report(id).processes, 2);
  });

  test('a caller without a key starts no process, and a server without a deployment answers 404', async () => {
    const id = await served('closed', 'http', HTTP);
    assert.equal((await send('closed', initialize, { authorization: 'Bearer sbx_nothing' })).status, 401);
    assert.equal(server.server.hosting.report(id).state, 'stopped');
    await hostedServer(server, 'empty');
    const { status, text } = await send('empty', initialize);
    assert.equal(status, 404, text);
    assert.match(text, /no live deployment/);
  });
});
