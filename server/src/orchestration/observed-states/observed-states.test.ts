import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import type { ObservedState } from './schema.ts';

/** The expected values are answers of the Prefect server 3.9.1. */
for (const database of databases) {
  describe(`observed states on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'observed' })).body.id;
    });
    after(() => server.stop());

    const observed = async (query = '') => {
      const { status, body } = await server.get(`/observed-states${query}`);
      assert.equal(status, 200);
      return body as ObservedState[];
    };
    const names = async (query = '') =>
      (await observed(query)).map((state) => `${state.state_type} ${state.state_name}`);
    const newRun = async (state: object) => (await server.post('/flow_runs/', { flow_id, state })).body;

    test('states of flow runs and task runs are listed, the most recent first', async () => {
      assert.deepEqual(await observed(), []);
      const first = await newRun({ type: 'SCHEDULED', name: 'my%_Run' });
      const task = {
        flow_run_id: first.id,
        task_key: 'a',
        dynamic_key: '0',
        state: { type: 'PENDING', name: 'Of a task' },
      };
      assert.equal((await server.post('/task_runs/', task)).status, 201);
      await newRun({ type: 'SCHEDULED', name: 'Émile' });
      await newRun({ type: 'SCHEDULED', name: 'my other' });
      const again = await newRun({ type: 'SCHEDULED', name: 'my%_Run' });
      assert.deepEqual(await names(), [
        'SCHEDULED my%_Run',
        'SCHEDULED my other',
        'SCHEDULED Émile',
        'PENDING Of a task',
      ]);
      const [state] = await observed();
      assert.deepEqual(Object.keys(state ?? {}), ['state_type', 'state_name', 'first_seen', 'last_seen']);
      assert.deepEqual([state?.first_seen, state?.last_seen], [first.state.timestamp, again.state.timestamp]);
      assert.equal((await server.delete(`/flow_runs/${again.id}`)).status, 204);
      const left = (await observed('?query=my%25'))[0];
      assert.deepEqual([left?.first_seen, left?.last_seen], [first.state.timestamp, first.state.timestamp]);
    });

    test('they are sorted by type and name, filtered by prefix, and limited', async () => {
      assert.deepEqual((await names('?order_by=NAME_ASC')).slice(0, 1), ['PENDING Of a task']);
      const found: [string, string[]][] = [
        ['my', ['SCHEDULED my other', 'SCHEDULED my%_Run']],
        ['%20MY%20', ['SCHEDULED my other', 'SCHEDULED my%_Run']],
        ['my_', []],
        ['%25', []],
        ['other', []],
        ['%C3%89', ['SCHEDULED Émile']],
        ['pend', ['PENDING Of a task']],
        ['PENDING', ['PENDING Of a task']],
        ['of%20a', ['PENDING Of a task']],
      ];
      for (const [query, wanted] of found) {
        assert.deepEqual((await names(`?order_by=NAME_ASC&query=${query}`)).sort(), wanted, query);
      }
      assert.equal((await names('?query=')).length, 4);
      assert.equal((await names('?limit=2')).length, 2);
    });

    test('an invalid query is a 422 that names the field', async () => {
      for (const query of ['limit=0', 'limit=201', 'limit=x', 'order_by=ID_DESC', `query=${'a'.repeat(101)}`]) {
        const { status, body } = await server.get(`/observed-states?${query}`);
        assert.equal(status, 422, query);
        assert.deepEqual(body.exception_detail[0].loc, ['query', query.split('=')[0]]);
      }
      assert.ok((await server.get('/observed-states?query=%00')).status < 500);
    });

    test('another workspace sees none of it', async () => {
      const { listObservedStates } = await import('./queries.ts');
      const other = server.server.store.reads(server.server.defaultWorkspace + 1);
      assert.deepEqual(await listObservedStates(other, { query: undefined, sort: 'NAME_ASC', limit: 10 }), []);
    });
  });
}
