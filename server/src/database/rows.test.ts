import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { IntegrityConflict } from '../errors.ts';
import { FIRST_ID, newId } from '../values/id.ts';
import { jsonTextOf } from '../values/json.ts';
import { rows } from './rows.ts';
import type { Tx } from './store.ts';

const variables = rows('variable');
const named = rows('variable', { among: sql`name <> 'hidden'`, without: ['value', 'tags'] });

for (const database of databases) {
  describe(`the rows of a table on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const row = (name: string) => {
      const now = server.server.clock.now();
      return { id: newId(), created: now, updated: now, name, value: jsonTextOf(1), tags: jsonTextOf([]) };
    };
    const change = <T>(work: (tx: Tx) => Promise<T>) => server.context().transaction(work);

    test('are made, read, changed and deleted by the columns that choose them', async () => {
      const made = await change((tx) => variables.insert(tx, row('one')));
      const { db } = server.context();
      assert.deepEqual(await variables.first(db, { name: 'one' }), made);
      assert.deepEqual(await variables.all(db, { id: made.id, name: 'one' }), [made]);
      assert.equal(await variables.first(db, { id: made.id, name: 'two' }), undefined);
      const changed = await change((tx) =>
        variables.change(tx, { id: made.id }, { name: 'two', value: undefined, tags: jsonTextOf(['a']) }),
      );
      assert.deepEqual(changed, { ...made, name: 'two', tags: '["a"]' });
      assert.equal(await change((tx) => variables.change(tx, { name: 'one' }, { name: 'three' })), undefined);
      assert.deepEqual(await change((tx) => variables.remove(tx, { name: 'two' })), changed);
      assert.equal(await change((tx) => variables.remove(tx, { name: 'two' })), undefined);
    });

    test('a row that is in the way keeps another out', async () => {
      await change((tx) => variables.insert(tx, row('taken')));
      assert.equal(await change((tx) => variables.insertUnlessThere(tx, row('taken'))), undefined);
      await assert.rejects(
        change((tx) => variables.insert(tx, row('taken'))),
        IntegrityConflict,
      );
    });

    test('several are changed, paged and deleted', async () => {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await change((tx) => variables.insert(tx, row(name)))).id);
      ids.sort();
      const given = { tags: jsonTextOf(['several']) };
      for (const id of ids) assert.equal(await change((tx) => variables.changeAll(tx, { id }, given)), 1);
      const { db } = server.context();
      const first = await named.page(db, {}, { cursor: FIRST_ID, limit: 200, order: 'ascending' });
      assert.deepEqual(
        first.map(({ id }) => id).filter((id) => ids.includes(id)),
        ids,
      );
      assert.deepEqual((await named.page(db, {}, { cursor: ids[1]!, limit: 1, order: 'ascending' })).length, 1);
      assert.equal(await change((tx) => variables.removeAll(tx, { name: 'a' })), 1);
      assert.equal(await change((tx) => variables.removeAll(tx, { name: 'a' })), 0);
    });

    test('hidden rows and columns stay hidden, and a key without a value chooses nothing', async () => {
      const hidden = await change((tx) => variables.insert(tx, row('hidden')));
      const { db } = server.context();
      assert.equal(await named.first(db, { id: hidden.id }), undefined);
      assert.equal(await change((tx) => named.remove(tx, { id: hidden.id })), undefined);
      const shown = await change((tx) => named.insert(tx, row('shown')));
      assert.deepEqual(Object.keys(shown).sort(), ['created', 'id', 'name', 'updated', 'workspace']);
      assert.throws(() => variables.first(db, { id: undefined }), /No value chooses the rows of variable by id/);
    });

    test('null chooses the rows where the column is null', async () => {
      const runs = rows('flow_run');
      const { id } = (await server.post('/flows/', { name: 'of-rows' })).body;
      const made = (await server.post('/flow_runs/', { flow_id: id })).body;
      const { db } = server.context();
      assert.equal((await runs.first(db, { id: made.id, deployment_id: null }))?.id, made.id);
      assert.equal(await runs.first(db, { id: made.id, deployment_id: id }), undefined);
    });

    test('of another workspace are not seen', async () => {
      const made = await change((tx) => variables.insert(tx, row('own')));
      const { store } = server.server;
      assert.equal(await variables.first(store.reads(server.context().workspace + 1), { id: made.id }), undefined);
    });
  });
}
