import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { variables } from '../../orchestration/variables/queries.ts';
import { newId } from '../../values/id.ts';
import { jsonTextOf } from '../../values/json.ts';
import { readingOnly } from './reading-only.ts';

for (const database of databases) {
  describe(`a transaction that only reads on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    test('reads what is there and writes nothing, also by statements that answer rows', async () => {
      assert.equal((await server.post('/variables/', { name: 'here', value: 1 })).status, 201);
      const { db, now } = server.context();
      const tx = readingOnly(db);
      const stored = await variables.first(tx, { name: 'here' });
      assert.equal(stored?.value, '1');
      const row = { id: newId(), created: now, updated: now, name: 'new', value: jsonTextOf(1), tags: jsonTextOf([]) };
      assert.equal(await variables.insertUnlessThere(tx, row), undefined);
      assert.equal(await variables.change(tx, { name: 'here' }, { value: jsonTextOf(2) }), undefined);
      assert.equal(await variables.remove(tx, { name: 'here' }), undefined);
      assert.equal(await variables.removeAll(tx, {}), 0);
      assert.deepEqual(
        (await server.post('/variables/filter', {})).body.map(({ value }: { value: number }) => value),
        [1],
      );
    });
  });
}
