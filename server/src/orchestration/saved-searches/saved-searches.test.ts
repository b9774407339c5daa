import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const filter = (value: unknown) => ({
  object: 'flow_run',
  property: 'name',
  type: 'string',
  operation: 'equals',
  value,
});

for (const database of databases) {
  describe(`saved searches on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('saving a name again replaces its filters and nothing else', async () => {
      const first = await server.put('/saved_searches/', { name: 'late', filters: [{ ...filter([1, 'a']), more: 1 }] });
      assert.equal(first.status, 201);
      assert.deepEqual(first.body.filters, [filter([1, 'a'])]);
      const second = await server.put('/saved_searches/', { name: 'late' });
      assert.equal(second.status, 200);
      assert.deepEqual(second.body, { ...first.body, filters: [] });
      assert.deepEqual((await server.get(`/saved_searches/${first.body.id}`)).body, second.body);
    });

    test('values keep the type of their numbers', async () => {
      const body = `{"name":"kinds","filters":[{"object":"o","property":"p","type":"t","operation":"=","value":1.0}]}`;
      assert.match((await server.put('/saved_searches/', body)).text, /"value":1\.0\}\]/);
    });

    test('an incomplete filter is refused', async () => {
      const { value: _, ...incomplete } = filter(1);
      const answer = await server.put('/saved_searches/', { name: 'bad', filters: [incomplete] });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.exception_detail[0].loc, ['body', 'filters', 0, 'value']);
    });

    test('searches are listed by name', async () => {
      for (const name of ['list-b', 'list-c', 'list-a']) await server.put('/saved_searches/', { name });
      const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);
      const sorted = names(await server.post('/saved_searches/filter', {}));
      assert.deepEqual(sorted, sorted.toSorted());
      assert.deepEqual(names(await server.post('/saved_searches/filter', { limit: 1, offset: 1 })), [sorted[1]]);
      assert.deepEqual(names(await server.get('/saved_searches/')), sorted);
      assert.equal((await server.post('/saved_searches/filter', { limit: 201 })).status, 422);
    });
  });
}
