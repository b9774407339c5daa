/**
 * Mutated heads, bodies and frames, written to the socket unchanged: the server neither exits nor fails, and reveals
 * nothing of its internals. The test prints the seed; SIGNALBOX_TEST_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { program } from '../support/bundle.ts';
import { randomNumbers } from '../support/random.ts';
import { until } from '../support/until.ts';
import { count, FaultServer, report } from './harness.ts';

const run = promisify(execFile);
const SEED = Number(process.env['SIGNALBOX_TEST_SEED'] ?? 43);
const REQUESTS = count(3000, 300_000);
const FRAMES = count(300, 50_000);
/** Words of a stack trace, or of a file of the server. */
const INSIDE = /node:internal|\/server\/src\/|node_modules|SQLITE_|\n\s+at /;

const random = randomNumbers(SEED);
const upTo = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(items: readonly T[]): T => items[upTo(items.length)] as T;

const paths = [
  '/api/flows/',
  '/api/flows/filter',
  '/api/flow_runs/filter',
  '/api/deployments/',
  '/api/variables/',
  '/api/logs/',
  '/api/events/filter',
  '/api/v0/me',
  '/api/v0/organizations',
  '/api/v0/organizations/default/servers',
  '/servers/default/nothing/mcp',
  '/sign-in',
  '/api/admin/version',
  '/docs',
];

/** Bodies that could break a parser, a validator or a database. */
const bodies: readonly (() => Buffer)[] = [
  () => Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  () => Buffer.from(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
  () => Buffer.from(`{"name":${'9'.repeat(4000)}}`),
  () => Buffer.from('{"name":1e999999,"limit":-1e999}'),
  () => Buffer.from('{"name":NaN,"limit":Infinity}'),
  () => Buffer.from('{"name":"\\ud800","tags":["\\udfff\\ud800"]}'),
  () => Buffer.from('{"name":"a\\u0000b","value":"\\u0000"}'),
  () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  () => Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"name":"p"}'),
  () => Buffer.from(`{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":0`).join()}}`),
  () => Buffer.from('{"name":"x","name":"y"}'),
  () => Buffer.from('{"name":"x"'),
  () => Buffer.from('"\\u12'),
  () => Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\u0000"}}'),
  () => Buffer.from('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"tools/call"}]'),
  () => Buffer.from('{"flows":{"id":{"any_":["x"]}},"limit":1e3,"offset":-0}'),
  () => Buffer.from('{"sort":"\u{1f600}","flow_runs":{"name":{"like_":"%_\\\\"}}}'),
];

const heads = [
  'X-Prefect-Api-Version: \u00ff',
  'Content-Type: application/json; charset=utf-7',
  'Content-Type: \u0001',
  'Authorization: Basic ////',
  'Authorization: Bearer sbx_',
  'Cookie: signalbox_session=%00; a=b; =',
  'Mcp-Session-Id: ../../x',
  'MCP-Protocol-Version: 9999-99-99',
  'Accept-Encoding: gzip;q=nan, *;q=-1',
  'Expect: 200-ok',
  'Range: bytes=99999999999999999999-',
  `X-Long: ${'a'.repeat(7000)}`,
  'Origin: null',
  'Forwarded: for="[::1"',
  'X-Forwarded-For: ,,,',
  'Last-Event-ID: \u00e9',
  'Transfer-Encoding: chunked',
  'Content-Length: 0',
  'Upgrade: h2c',
  'Connection: content-length, close',
];

function mutate(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let times = upTo(4); times > 0 && changed.length > 0; times--) changed[upTo(changed.length)] = upTo(256);
  return random() < 0.2 ? changed.subarray(0, upTo(changed.length + 1)) : changed;
}

function request(key: string): Buffer {
  const body = mutate(pick(bodies)());
  const lines = [
    `${pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE', 'post'])} ${pick(paths)}${pick(['', '?limit=-1', '?%', '?a=\u00ff', '/..', '%2f'])} HTTP/${pick(['1.1', '1.1', '1.1', '1.0', '2.0'])}`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Type: ${pick(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])}`,
    ...(random() < 0.8 ? [`Authorization: Bearer ${key}`] : []),
    ...(random() < 0.9 ? [`Content-Length: ${body.length}`] : []),
    ...(random() < 0.5 ? [pick(heads)] : []),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([random() < 0.15 ? mutate(head) : head, body]);
}

/**
 * The bytes that the server sends until it closes the connection, or until its silence shows that it waits for more.
 */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(1500, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      if (answer.length < 100_000) answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

async function inParallel(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  const workers = Array.from({ length: 16 }, async () => {
    while (left-- > 0) await work();
  });
  await Promise.all(workers);
}

for (const mode of ['open', 'key']) {
  describe(`mutated input, access mode ${mode}, seed ${SEED}`, () => {
    let server: FaultServer;
    let key = '';
    before(async () => {
      server = await FaultServer.start({ environment: { SIGNALBOX_API_AUTH: mode } });
      const operate = async (...words: string[]) => {
        const environment = { PATH: process.env['PATH'], SIGNALBOX_HOME: server.home };
        return JSON.parse((await run(process.execPath, [program, ...words, '--json'], { env: environment })).stdout);
      };
      await operate('users', 'create', '--email', 'ada@example.com', '--organization', 'default', '--role', 'admin');
      key = (await operate('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'fuzz')).secret;
    });
    after(() => server.dispose());

    async function stillWell(): Promise<void> {
      assert.ok(server.running, `The server ended:\n${server.output.slice(-3000)}`);
      const health = await fetch(`${server.api}/health`);
      assert.equal(health.status, 200);
      assert.doesNotMatch(server.output, /unhandled|uncaught/i);
      assert.doesNotMatch(server.output, /"status":500|request failed/, server.output.slice(-3000));
    }

    test(`${REQUESTS} requests`, async () => {
      const statuses = new Map<string, number>();
      await inParallel(REQUESTS, async () => {
        const sent = request(key);
        const answer = await exchange(server.port, sent);
        const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 'closed';
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const told = `${sent.subarray(0, 400).toString('latin1')}\n→ ${answer.slice(0, 400)}`;
        assert.ok(status === 'closed' || Number(status) < 500 || status === '503' || status === '505', told);
        if (Number(status) >= 400) assert.doesNotMatch(answer, INSIDE, told);
      });
      await stillWell();
      const spread = [...statuses].sort().map(([status, times]) => `${times} × ${status}`);
      report({ test: '43', name: `mutated requests, ${mode}`, value: spread.join(', ') });
    });

    test(`${FRAMES} frames`, async () => {
      const sockets = ['/events/in', '/events/out', '/logs/out', '/task_runs/subscriptions/scheduled'];
      await inParallel(FRAMES, async () => {
        const socket = new WebSocket(`${server.api.replace('http', 'ws')}${pick(sockets)}`, 'prefect', {
          headers: mode === 'key' ? { authorization: `Bearer ${key}` } : {},
        });
        socket.on('error', () => {});
        socket.on('open', () => {
          const token = mode === 'key' ? key : null;
          if (random() < 0.7) socket.send(JSON.stringify({ type: 'auth', token }));
          for (let frames = 1 + upTo(3); frames > 0; frames--) {
            const isLast = frames === 1;
            socket.send(mutate(pick(bodies)()), { binary: random() < 0.3 }, () => isLast && socket.close());
          }
        });
        await until('the server closes the socket', () => socket.readyState === WebSocket.CLOSED);
      });
      await stillWell();
      report({ test: '43', name: `mutated frames, ${mode}`, value: String(FRAMES) });
    });
  });
}
