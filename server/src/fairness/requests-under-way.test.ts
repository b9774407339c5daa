import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { timeAt } from '../../test/support/local-time.ts';
import { startServer, type TestServer } from '../../test/support/server.ts';
import { TrustedProxies } from '../network/trusted-proxies.ts';
import { RequestsUnderWay } from './requests-under-way.ts';

/** A request waits for a second at most. */
const WAIT_MILLISECONDS = 1000;

const responseTo = (request = new IncomingMessage(new Socket())) => new ServerResponse(request);

/** Requests of somebody else that take `places`, until the function that it returns is called. */
function occupy({ server }: TestServer, places: number): () => void {
  const response = responseTo();
  const taken = Array.from({ length: places }, () => server.requests.enter('address 192.0.2.1', response));
  return () => {
    for (const place of taken) place.leave();
  };
}

test('a request past the limit is answered 503 with Retry-After, and the next is served when one has ended', async () => {
  const server = await startServer({ config: { maxRequests: 2 }, local: timeAt(100) });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const endWork = occupy(server, 2);
  const asked: [method: string, address: string][] = [
    ['POST', '/api/flows/filter'],
    ['GET', '/api/v0/me'],
    ['GET', '/sign-in'],
    ['GET', '/nothing'],
    ['OPTIONS', '/api/flows/'],
  ];
  for (const [method, address] of asked) {
    const answer = await fetch(origin + address, { method });
    assert.equal(answer.status, 503, `${method} ${address}`);
    assert.equal(answer.headers.get('retry-after'), '1');
    const body = await answer.text();
    assert.match(body, address.startsWith('/api/v0/') ? /"code":"unavailable"/ : /Service Unavailable/);
  }
  for (const probe of ['/api/health', '/api/ready']) assert.equal((await fetch(origin + probe)).status, 200, probe);
  endWork();
  assert.equal((await fetch(`${origin}/api/version`)).status, 200);
  await server.stop();
});

test('a request past the limit is served when there is room in time', async () => {
  const server = await startServer({ config: { maxRequests: 1 }, local: timeAt(0) });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const endWork = occupy(server, 1);
  const waiting = fetch(`${origin}/api/flows/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"late"}',
  });
  // By the time that the probe is answered, it waits.
  assert.equal((await fetch(`${origin}/api/health`)).status, 200);
  endWork();
  assert.equal((await waiting).status, 201);
  await server.stop();
});

test('refusals are spread over time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const requests = new RequestsUnderWay(1, () => now);
  const place = requests.enter('the only one', responseTo());
  let refused = 0;
  for (let count = 0; count < 200; count++) {
    const answer = responseTo();
    t.mock.method(answer, 'end', () => refused++);
    requests.arrive(answer.req, answer, 'waiting', () => {}, false);
  }
  const tick = async () => {
    now += 25;
    t.mock.timers.tick(25);
    await new Promise(setImmediate);
  };
  while (now < WAIT_MILLISECONDS - 25) await tick();
  assert.equal(refused, 0);
  // One every two milliseconds.
  for (const expected of [13, 26, 39]) {
    await tick();
    assert.equal(refused, expected);
  }
  while (now < WAIT_MILLISECONDS + 375) await tick();
  assert.equal(refused, 200);
  place.leave();
});

test('a request whose body is in transit does not count', async () => {
  const server = await startServer({ config: { maxRequests: 1 } });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const slow = fetch(`${origin}/api/flows/`, { method: 'POST', body: readable, duplex: 'half' } as RequestInit);
  await writer.write(Buffer.from('{"name":'));
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await fetch(`${origin}/api/version`)).status, 200);
  await writer.write(Buffer.from('"slow"}'));
  await writer.close();
  assert.equal((await slow).status, 201);
  await server.stop();
});

test('one caller cannot take every place: what it sends beyond its share waits and is refused, and others are served', async () => {
  const trustedProxies = new TrustedProxies(['127.0.0.1']);
  const server = await startServer({ config: { maxRequests: 16, trustedProxies }, local: timeAt(10) });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const send = (client: string, method: string, path: string, body?: object) =>
    fetch(origin + path, {
      method,
      headers: { 'x-forwarded-for': client, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
  const { store, defaultWorkspace } = server.server;
  const begun = Promise.withResolvers<void>();
  // Other writes wait for this one.
  const writing = store.transaction(defaultWorkspace, () => {
    begun.resolve();
    return work;
  });
  await begun.promise;
  const statuses: Record<number, number> = {};
  const greedy = Array.from({ length: 40 }, async (_, index) => {
    const { status, headers } = await send('192.0.2.7', 'POST', '/api/flows/', { name: `flow-${index}` });
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 429) assert.equal(headers.get('retry-after'), '1');
    if (statuses[429] === 26) endWork();
  });
  while (statuses[429] === undefined) {
    const { status } = await send('198.51.100.9', 'GET', '/api/collections/views/aggregate-worker-metadata');
    assert.equal(status, 200);
  }
  await Promise.all([...greedy, writing]);
  assert.deepEqual(statuses, { 201: 14, 429: 26 });
  await server.stop();
});
