import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`flows on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('a new flow is created, and a repeated create returns the stored one', async () => {
      const first = await server.post('/flows/', { name: 'etl', tags: ['a'] });
      assert.equal(first.status, 201);
      const second = await server.post('/flows/', { name: 'etl', tags: ['b'], labels: { k: 1 } });
      assert.equal(second.status, 200);
      assert.deepEqual(second.body, first.body);
    });

    test('labels keep the type of every number', async () => {
      const created = await server.post(
        '/flows/',
        '{"name":"kinds","labels":{"float":1.0,"big":12345678901234567890}}',
      );
      const read = await server.get(`/flows/${created.body.id}`);
      assert.match(read.text, /"labels":\{"float":1\.0,"big":12345678901234567890\}/);
    });

    test('a flow is found by name, by id in any case, and by filters', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'Find me', tags: ['x', 'y'] });
      assert.deepEqual((await server.get('/flows/name/Find%20me')).body, flow);
      assert.deepEqual((await server.get(`/flows/${flow.id.toUpperCase()}`)).body, flow);
      const filter = { flows: { name: { like_: 'find' }, tags: { all_: ['y', 'x'] } } };
      assert.deepEqual((await server.post('/flows/filter', filter)).body, [flow]);
      assert.equal((await server.post('/flows/count', filter)).body, 1);
      assert.deepEqual((await server.post('/flows/filter', { flows: { tags: { all_: ['z'] } } })).body, []);
    });

    test('an empty any_ matches nothing, an empty not_any_ excludes nothing', async () => {
      const all = (await server.post('/flows/count', {})).body;
      assert.equal((await server.post('/flows/count', { flows: { id: { any_: [] } } })).body, 0);
      assert.equal((await server.post('/flows/count', { flows: { id: { not_any_: [] } } })).body, all);
    });

    test('pages are counted and limited as requested', async () => {
      for (const name of ['page-a', 'page-b', 'page-c']) await server.post('/flows/', { name });
      const page = await server.post('/flows/paginate', { flows: { name: { like_: 'page-' } }, limit: 2, page: 2 });
      assert.equal(page.body.count, 3);
      assert.equal(page.body.pages, 2);
      assert.deepEqual(
        page.body.results.map((flow: { name: string }) => flow.name),
        ['page-c'],
      );
    });

    test('a limit beyond the largest page is refused with a reason', async () => {
      const answer = await server.post('/flows/filter', { limit: 201 });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body, { detail: 'Invalid limit: must be less than or equal to 200.' });
    });

    test('GET on the collection lists it', async () => {
      const listed = await server.get('/flows/?limit=1&sort=NAME_DESC');
      assert.equal(listed.status, 200);
      assert.equal(listed.body.length, 1);
    });

    test('bulk deletion returns the deleted ids', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'bulk' });
      const answer = await server.post('/flows/bulk_delete', { flows: { id: { any_: [flow.id] } } });
      assert.deepEqual(answer.body, { deleted: [flow.id] });
      assert.equal((await server.get(`/flows/${flow.id}`)).status, 404);
    });
  });
}
