import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../../test/support/server.ts';

test('a request past the limit is answered 503 with Retry-After, and the next is served when one has ended', async () => {
  const server = await startServer({ config: { maxRequests: 2 } });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
  const underWay = [1, 2].map(() => server.server.requests.during(() => work));
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
  await Promise.all(underWay);
  assert.equal((await fetch(`${origin}/api/version`)).status, 200);
  await server.stop();
});

test('a request past the limit is served when there is room in time', async () => {
  const server = await startServer({ config: { maxRequests: 1 } });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
  const underWay = server.server.requests.during(() => work);
  const waiting = fetch(`${origin}/api/flows/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"late"}',
  });
  // By the time that the probe is answered, it waits.
  assert.equal((await fetch(`${origin}/api/health`)).status, 200);
  endWork();
  await underWay;
  assert.equal((await waiting).status, 201);
  await server.stop();
});

test('refusals are spread over time', async () => {
  const server = await startServer({ config: { maxRequests: 1 } });
  const { origin } = new URL((await server.listen()).replace('ws', 'http'));
  const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
  const underWay = server.server.requests.during(() => work);
  const began = performance.now();
  const waits = await Promise.all(
    Array.from({ length: 200 }, async () => {
      assert.equal((await fetch(`${origin}/api/version`)).status, 503);
      return performance.now() - began;
    }),
  );
  assert.ok(Math.min(...waits) >= 1000, `the first after ${Math.min(...waits)} ms`);
  assert.ok(Math.max(...waits) >= 1300, `the last after ${Math.max(...waits)} ms`);
  endWork();
  await underWay;
  await server.stop();
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
