import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../../test/support/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const MEGABYTES_3 = 'x'.repeat(3 * 1024 * 1024);

test('a request that asks may have 1 MB, one that brings data what the setting says', async () => {
  const question = await server.post('/flows/filter', { ignored: MEGABYTES_3 });
  assert.equal(question.status, 413);
  assert.equal((await server.post('/variables/', { name: 'large', value: 1, tags: [MEGABYTES_3] })).status, 201);
  const larger = MEGABYTES_3.repeat(6);
  assert.equal((await server.post('/variables/', { name: 'larger', value: 1, tags: [larger] })).status, 413);
  const long = Array.from({ length: 10_000 }, (_, index) => `a flow with a name of some length ${index}`);
  assert.equal((await server.post('/flows/filter', { flows: { name: { any_: long } } })).status, 200);
});

test('a list of a million values that do not fit is refused at once, with the first of its faults', async () => {
  const tags = `[${'1,'.repeat(1_000_000)}1]`;
  const before = process.threadCpuUsage();
  const answer = await server.post('/variables/', `{"name":"x","value":1,"tags":${tags}}`, {
    'content-type': 'application/json',
  });
  const { user, system } = process.threadCpuUsage(before);
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.exception_detail.at(-1).loc, ['body', 'tags', 9999]);
  assert.ok((user + system) / 1000 < 1500, `${(user + system) / 1000} ms`);
});
