import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { StoredEvent } from '../../changes/hub.ts';
import { newId } from '../../values/id.ts';

for (const database of databases) {
  describe(`variables on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const names = async (body: object): Promise<string[]> =>
      (await server.post('/variables/filter', body)).body.map(({ name }: { name: string }) => name);

    test('a variable is read by id and by name, and numbers keep their type', async () => {
      const value = '{"b":1.0,"a":[1,12345678901234567890,null]}';
      const created = await server.post('/variables/', `{"name":"kinds","value":${value},"tags":["x","y"]}`);
      assert.equal(created.status, 201);
      assert.ok(created.text.includes(`"value":${value}`));
      for (const path of [`/variables/${created.body.id}`, '/variables/name/kinds']) {
        assert.equal((await server.get(path)).text, created.text);
      }
    });

    test('names are lower-case with at most 255 characters, and values have at most 5000 bytes', async () => {
      const refusal = async (body: object) => {
        const answer = await server.post('/variables/', body);
        assert.equal(answer.status, 422);
        return answer.body.exception_detail[0].type;
      };
      assert.equal(await refusal({ name: 'Bad Name', value: 1 }), 'value_error');
      assert.equal(await refusal({ name: 'x'.repeat(256), value: 1 }), 'too_long');
      assert.equal(await refusal({ name: 'large', value: 'x'.repeat(4999) }), 'value_error');
      assert.equal(await refusal({ name: 'absent' }), 'missing');
      assert.equal((await server.post('/variables/', { name: 'just', value: 'x'.repeat(4998) })).status, 201);
    });

    test('an update by id or by name changes the given fields only', async () => {
      const { body: variable } = await server.post('/variables/', { name: 'changing', value: 1, tags: ['a'] });
      assert.equal((await server.patch('/variables/name/changing', { value: null })).status, 204);
      const changed = (await server.get(`/variables/${variable.id}`)).body;
      assert.deepEqual({ ...changed, updated: 0 }, { ...variable, value: null, updated: 0 });
      assert.ok(changed.updated > variable.updated);
      assert.equal((await server.patch(`/variables/${variable.id}`, { name: 'changed', tags: [] })).status, 204);
      assert.equal((await server.get('/variables/name/changing')).status, 404);
      assert.deepEqual((await server.get('/variables/name/changed')).body.tags, []);
    });

    test('null where a value is required is refused and changes nothing', async () => {
      const { body: variable } = await server.post('/variables/', { name: 'mine', value: 1 });
      for (const change of [{ name: null }, { tags: null }]) {
        assert.equal((await server.patch('/variables/name/mine', change)).status, 409);
      }
      assert.deepEqual((await server.get('/variables/name/mine')).body, variable);
    });

    test('a missing variable is a 404 before the change is read, and no name holds a slash', async () => {
      for (const path of [`/variables/${newId()}`, '/variables/name/nobody']) {
        const answer = await server.patch(path, { name: null });
        assert.deepEqual([answer.status, answer.body], [404, { detail: 'Variable not found.' }]);
      }
      assert.deepEqual((await server.get('/variables/name/a%2Fb')).body, { detail: 'Not Found' });
    });

    test('variables are listed, filtered and counted', async () => {
      for (const [name, tags] of [
        ['list_a', ['x', 'y']],
        ['list_b', ['x']],
        ['list_c', []],
      ] as const) {
        await server.post('/variables/', { name, value: name, tags });
      }
      const listed = { name: { like_: 'LIST_' } };
      assert.deepEqual(await names({ variables: listed }), ['list_a', 'list_b', 'list_c']);
      assert.deepEqual(await names({ variables: listed, sort: 'CREATED_DESC', limit: 1, offset: 1 }), ['list_b']);
      assert.deepEqual(await names({ variables: { ...listed, tags: { all_: ['y', 'x'] } } }), ['list_a']);
      assert.deepEqual(await names({ variables: { ...listed, tags: { is_null_: true } } }), ['list_c']);
      assert.equal((await server.post('/variables/count', { variables: listed })).body, 3);
      const all = (await server.post('/variables/count', {})).body;
      const asksNothing = { operator: 'or_', name: { any_: ['nobody'] }, tags: {} };
      assert.equal((await server.post('/variables/count', { variables: asksNothing })).body, all);
      assert.equal((await server.get('/variables/?sort=NAME_DESC&limit=2')).body.length, 2);
    });

    test('creating, changing and deleting are events', async () => {
      const events: StoredEvent[] = [];
      const { hub, defaultWorkspace } = server.server;
      const stop = hub.hear('events', defaultWorkspace, (event) => events.push(event));
      const { body } = await server.post('/variables/', '{"name":"told","value":1.0,"tags":["t"]}');
      await server.patch('/variables/name/told', { name: 'retold' });
      assert.equal((await server.delete(`/variables/${body.id}`)).status, 204);
      stop();
      assert.deepEqual(
        events.map(({ event, resource, payload }) => [event, JSON.parse(resource), payload]),
        (['created told', 'updated retold', 'deleted retold'] as const).map((change) => {
          const [what, name] = change.split(' ');
          return [
            `prefect.variable.${what}`,
            { 'prefect.resource.id': `prefect.variable.${body.id}`, 'prefect.resource.name': name },
            `{"name":"${name}","value":1.0,"tags":["t"]}`,
          ];
        }),
      );
    });
  });
}
