/** Signalbox at `https://…/signalbox`, behind the proxies whose configuration the documentation shows. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Agent, fetch, type RequestInit } from 'undici';
import { WebSocket } from 'ws';
import { ServerProcess } from '../prefect/server-process.ts';
import { until } from '../support/until.ts';
import { findPython, runPython } from './client.ts';
import { type Certificate, makeCertificate, proxies, type RunningProxy, startProxy } from './proxy.ts';

const LARGE_BYTES = 10 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-proxies-'));
const certificate = makeCertificate(folder);
const python = await findPython();

describe('behind a proxy, below a path, over TLS', { concurrency: true }, () => {
  let server: ServerProcess;
  let key: string;
  before(async () => {
    if (!certificate) return;
    const settings = {
      SIGNALBOX_API_AUTH: 'key',
      SIGNALBOX_TRUSTED_PROXIES: '127.0.0.1',
      SIGNALBOX_BASE_PATH: '/signalbox',
      NODE_EXTRA_CA_CERTS: certificate.file,
    };
    const options = { kind: 'signalbox', folder, postgresUrl: undefined, settings, python: '' } as const;
    server = await ServerProcess.start(options);
    await server.operate(['users', 'create', '--email', 'ada@example.com', '--role', 'admin']);
    key = (await server.operate(['keys', 'create', '--user', 'ada@example.com', '--descriptor', 'proxy'])).trim();
  });
  after(async () => {
    await server?.stop('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  for (const [name, kind] of Object.entries(proxies)) {
    const skip = !kind.program ? `${name} is not installed` : !certificate ? 'openssl is not installed' : false;
    test(name, { skip }, async (t) => {
      const port = Number(new URL(server.url).port);
      const proxy = await startProxy(kind, join(folder, name), port, certificate as Certificate);
      try {
        await check(t, proxy, key);
        const { origin } = new URL(proxy.url);
        const said = await server.operate(['doctor', '--port', String(port), '--public-url', origin]);
        assert.ok(said.includes(`${proxy.url} reaches a Signalbox server, with websockets.`), said);
      } finally {
        await proxy.stop();
      }
    });
  }
});

async function check(t: TestContext, { url }: RunningProxy, key: string): Promise<void> {
  const ca = readFileSync((certificate as Certificate).file);
  const dispatcher = new Agent({ connect: { ca } });
  const authorization = `Bearer ${key}`;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { dispatcher, redirect: 'manual', ...init, headers: { authorization, ...init.headers } });
  const post = (path: string, body: unknown) =>
    ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  await t.test('pages and documents name their addresses below the path', async () => {
    assert.match(await (await ask('/', { headers: { accept: 'text/html' } })).text(), /<base href="\/signalbox\/">/);
    const help = await ask('/help');
    assert.equal(new URL(help.headers.get('location') ?? '', `${url}/help`).href, `${url}/help/`);
    assert.equal((await ask('/help/settings')).status, 200);
    const { servers } = (await (await ask('/openapi.json')).json()) as { servers: unknown };
    assert.deepEqual(servers, [{ url: '/signalbox/api' }]);
    assert.equal(new URL((await ask('')).headers.get('location') ?? '', url).href, `${url}/`);
  });

  await t.test('a body of 10 MB arrives whole, and so does the answer', async () => {
    const data = 'x'.repeat(LARGE_BYTES);
    const made = await post('/api/artifacts/', { key: 'large', type: 'markdown', data });
    assert.equal(made.status, 201);
    const { id } = (await made.json()) as { id: string };
    const read = (await (await ask(`/api/artifacts/${id}`)).json()) as { data: string };
    assert.ok(read.data === data);
  });

  await t.test('a stream of changes and a websocket of events carry what happens at once', async () => {
    const abort = new AbortController();
    const stream = await ask('/api/views/live', { signal: abort.signal });
    let changes = '';
    const reading = (async () => {
      for await (const part of stream.body ?? []) changes += Buffer.from(part).toString();
    })().catch(() => undefined);

    const socket = new WebSocket(`${url.replace(/^https/, 'wss')}/api/events/out`, 'prefect', { ca });
    let events = '';
    socket.on('message', (frame) => {
      events += String(frame);
    });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', token: key })));
    await until('the socket accepts the key', () => events.includes('auth_success'));
    socket.send(JSON.stringify({ type: 'filter', filter: { event: { prefix: ['prefect.flow-run.'] } } }));

    const flow = (await (await post('/api/flows/', { name: 'behind-a-proxy' })).json()) as { id: string };
    const made = await post('/api/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } });
    const { id } = (await made.json()) as { id: string };
    await until('the stream and the socket name the run', () => changes.includes(id) && events.includes(id));
    abort.abort();
    socket.terminate();
    await reading;
  });

  const skip = python === undefined ? 'Python with Prefect is not installed' : false;
  await t.test('the Prefect client runs a flow, and its task runs, logs and events arrive', { skip }, async () => {
    const output = await runPython(python ?? '', join(import.meta.dirname, 'flow_through_proxy.py'), folder, {
      PREFECT_API_URL: `${url}/api`,
      PREFECT_API_AUTH_STRING: key,
      PREFECT_API_SSL_CERT_FILE: (certificate as Certificate).file,
    });
    assert.match(output, /^done$/m);
  });
}
