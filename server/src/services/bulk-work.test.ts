import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { person } from '../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { createContext } from '../context/context.ts';
import type { Tx } from '../database/store.ts';
import { addSeconds, systemClock, type Timestamp } from '../values/time.ts';
import { BulkWork } from './bulk-work.ts';
import { WorkspaceRetention } from './old-rows/retention.ts';

for (const database of databases) {
  describe(`bulk work on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    let deployment_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'daily' })).body.id;
      deployment_id = (await server.post('/deployments/', { name: 'nightly', flow_id })).body.id;
    });
    after(() => server.stop());

    async function run(type: string, more: object = {}): Promise<string> {
      const body = { flow_id, deployment_id, state: { type }, ...more };
      const answer = await server.post('/flow_runs/', body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    }
    const runs = (count: number, type: string, more: object = {}) =>
      Promise.all(Array.from({ length: count }, () => run(type, more)));
    const create = async (body: object) => {
      const answer = await server.post('/bulk_work/', body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const service = new BulkWork();
    /** Two replicas pass at the same time, until nothing is left to do. */
    async function pass(now?: Timestamp): Promise<void> {
      const left = await Promise.all([service.runOnce(server.context(now)), service.runOnce(server.context(now))]);
      if (left.includes(true)) await pass(now);
    }
    const read = async ({ id }: { id: string }) => (await server.get(`/bulk_work/${id}`)).body;
    const counts = async (work: { id: string }) => {
      const { status, total, done, skipped, failed } = await read(work);
      return [status, total, done, skipped, failed];
    };
    const stateOf = async (id: string) => (await server.get(`/flow_runs/${id}`)).body.state.name;
    const statesOf = async (id: string) =>
      (await server.get(`/flow_run_states/?flow_run_id=${id}`)).body.map(({ name }: { name: string }) => name);

    test('a retry waits, takes failed and crashed runs of a deployment once each, and skips the others', async () => {
      const failed = await runs(25, 'FAILED');
      const [crashed, completed, lone] = [
        await run('CRASHED'),
        await run('COMPLETED'),
        await run('FAILED', { deployment_id: null }),
      ];
      const flow_run_ids = [...failed, crashed!, completed!, lone!, failed[0]!, crypto.randomUUID()];
      const work = await create({ action: 'retry', flow_run_ids, delay_seconds: 5 });
      assert.deepEqual(await counts(work), ['SCHEDULED', 28, 0, 0, 0]);
      await pass();
      assert.deepEqual(await counts(work), ['SCHEDULED', 28, 0, 0, 0]);
      await pass(addSeconds(systemClock.now(), 6));
      assert.deepEqual(await counts(work), ['COMPLETED', 28, 26, 2, 0]);
      for (const id of [...failed, crashed!])
        assert.deepEqual(
          await statesOf(id),
          ['Failed', 'AwaitingRetry'].map((name) => (id === crashed && name === 'Failed' ? 'Crashed' : name)),
        );
      assert.deepEqual([await stateOf(completed!), await stateOf(lone!)], ['Completed', 'Failed']);
    });

    test('several works change one run in one pass, in their order', async () => {
      const id = await run('RUNNING');
      const works = [];
      for (const name of ['One', 'Two', 'Three', 'Four']) {
        const state = { type: 'RUNNING', name };
        works.push(await create({ action: 'set_state', state, force: true, flow_run_ids: [id] }));
      }
      await pass(addSeconds(systemClock.now(), 1));
      for (const work of works) assert.deepEqual(await counts(work), ['COMPLETED', 1, 1, 0, 0]);
      assert.deepEqual(await statesOf(id), ['Running', 'One', 'Two', 'Three', 'Four']);
    });

    test('a work that is cancelled before it begins changes nothing', async () => {
      const [id] = await runs(1, 'FAILED');
      const work = await create({ action: 'retry', flow_run_ids: [id], delay_seconds: 5 });
      assert.equal((await server.post(`/bulk_work/${work.id}/cancel`)).body.status, 'CANCELLED');
      await pass(addSeconds(systemClock.now(), 6));
      assert.deepEqual(await counts(work), ['CANCELLED', 1, 0, 0, 0]);
      assert.deepEqual(await statesOf(id!), ['Failed']);
      assert.equal((await server.post(`/bulk_work/${work.id}/cancel`)).status, 409);
    });

    test('all runs that match when it is created are taken, and those that match later are not', async () => {
      const tags = ['sweep'];
      const open = [...(await runs(3, 'RUNNING', { tags })), ...(await runs(2, 'SCHEDULED', { tags }))];
      const ended = await run('COMPLETED', { tags });
      const matching = { flow_runs: { tags: { all_: tags } } };
      const work = await create({ action: 'cancel', matching });
      const later = await run('RUNNING', { tags });
      await pass();
      assert.deepEqual(await counts(work), ['COMPLETED', 6, 5, 1, 0]);
      const states = await Promise.all(open.map(stateOf));
      assert.deepEqual(states.sort(), ['Cancelled', 'Cancelled', 'Cancelling', 'Cancelling', 'Cancelling']);
      assert.deepEqual([await stateOf(ended), await stateOf(later)], ['Completed', 'Running']);
    });

    test('the conditions of a list choose the runs, and a bad one is named', async () => {
      await run('FAILED', { name: 'narrowed-away' });
      const taken = await run('FAILED', { name: 'narrowed-in' });
      const where = [
        { field: 'name', values: ['narrowed'] },
        { field: 'name', not: true, values: ['away'] },
      ];
      const work = await create({ action: 'retry', matching: { where } });
      await pass();
      assert.deepEqual(await counts(work), ['COMPLETED', 1, 1, 0, 0]);
      assert.equal(await stateOf(taken), 'AwaitingRetry');
      const bad = [{ field: 'tries', values: ['many'] }];
      const refused = await server.post('/bulk_work/', { action: 'retry', matching: { where: bad } });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /"where",0,"values"/);
    });

    test('runs are deleted with what belongs to them, running ones too', async () => {
      const ids = [...(await runs(2, 'RUNNING')), await run('FAILED')];
      const [first] = ids;
      await server.post('/task_runs/', { flow_run_id: first, task_key: 't', dynamic_key: '0' });
      await server.post('/logs/', [
        { name: 'a', level: 20, message: 'm', timestamp: systemClock.now(), flow_run_id: first },
      ]);
      const work = await create({ action: 'delete', flow_run_ids: ids });
      await server.delete(`/flow_runs/${ids[2]}`);
      await pass();
      assert.deepEqual(await counts(work), ['COMPLETED', 3, 2, 1, 0]);
      assert.equal((await server.get(`/flow_runs/${first}`)).status, 404);
      const filter = { flow_runs: { id: { any_: ids } } };
      assert.equal((await server.post('/task_runs/count', filter)).body, 0);
      const logs = await server.post('/logs/filter', { logs: { flow_run_id: { any_: ids } } });
      assert.deepEqual(logs.body, []);
    });

    test('the rules judge each run, and a refusal is counted with its reason', async () => {
      const [scheduled, busy] = [await run('SCHEDULED'), await run('RUNNING', { name: 'busy' })];
      const flow_run_ids = [scheduled, busy];
      const work = await create({ action: 'set_state', state: { type: 'PENDING' }, flow_run_ids });
      await pass();
      assert.deepEqual(await counts(work), ['COMPLETED', 2, 1, 0, 1]);
      const { failures, state_type } = await read(work);
      assert.deepEqual([failures.length, failures[0].flow_run_id, failures[0].flow_run_name], [1, busy, 'busy']);
      assert.match(failures[0].reason, /\w/);
      assert.equal(state_type, 'PENDING');
      const forced = await create({
        action: 'set_state',
        state: { type: 'FAILED', name: 'Lost' },
        force: true,
        flow_run_ids,
      });
      await pass();
      assert.deepEqual(await counts(forced), ['COMPLETED', 2, 2, 0, 0]);
      assert.equal(await stateOf(busy), 'Lost');
    });

    test('a run whose change ends with an unexpected error is tried a few times, and the work goes on', async () => {
      const flow_run_ids = await runs(2, 'FAILED');
      const work = await create({ action: 'set_state', state: { type: 'CRASHED' }, flow_run_ids });
      // A row that no version of the server has written.
      const breaking = (tx: Tx) =>
        tx.execute(sql`update bulk_work set state = null where "workspace" = ${tx.workspace} and id = ${work.id}`);
      await server.context().transaction(breaking);
      for (let passes = 0; passes < 4; passes++) await service.runOnce(server.context());
      assert.deepEqual(await counts(work), ['SCHEDULED', 2, 0, 0, 0]);
      for (let passes = 0; passes < 6; passes++) await service.runOnce(server.context());
      assert.deepEqual(await counts(work), ['COMPLETED', 2, 0, 0, 2]);
      const { failures } = await read(work);
      assert.match(failures[0].reason, /^An unexpected error/);
    });

    test('cancelling a work keeps the runs that are left, and the list has the newest first', async () => {
      const ids = await runs(50, 'RUNNING');
      const work = await create({ action: 'cancel', flow_run_ids: ids });
      await service.runOnce(server.context());
      const halfway = await read(work);
      assert.deepEqual([halfway.status, halfway.done], ['RUNNING', 20]);
      await Promise.all([server.post(`/bulk_work/${work.id}/cancel`), service.runOnce(server.context())]);
      const ended = await read(work);
      await pass();
      const states = await Promise.all(ids.map(stateOf));
      assert.equal(ended.status, 'CANCELLED');
      assert.equal(states.filter((name) => name === 'Cancelling').length, (await read(work)).done);
      assert.ok(states.includes('Running'));
      assert.deepEqual((await server.get('/bulk_work/')).body[0], await read(work));
    });

    test('what cannot be asked is refused by its field', async () => {
      const flow_run_ids = [crypto.randomUUID()];
      const refused = async (body: object, text: RegExp) => {
        const answer = await server.post('/bulk_work/', body);
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, text);
      };
      await refused({ action: 'retry' }, /either flow_run_ids or matching/);
      await refused({ action: 'retry', flow_run_ids, matching: {} }, /either flow_run_ids or matching/);
      await refused({ action: 'burn', flow_run_ids }, /"action"/);
      await refused({ action: 'set_state', flow_run_ids }, /state must be given/);
      await refused({ action: 'retry', flow_run_ids, force: true }, /force/);
      await refused({ action: 'retry', flow_run_ids, delay_seconds: 61 }, /delay_seconds/);
      await refused({ action: 'retry', flow_run_ids: [] }, /flow_run_ids/);
      await refused({ action: 'retry', flow_run_ids: Array(10_001).fill(flow_run_ids[0]) }, /flow_run_ids/);
      const state = { type: 'FAILED', message: 'x'.repeat(1001) };
      await refused({ action: 'set_state', flow_run_ids, state }, /message/);
      const none = await create({ action: 'retry', flow_run_ids: Array(10_000).fill(flow_run_ids[0]) });
      assert.deepEqual(await counts(none), ['COMPLETED', 0, 0, 0, 0]);
    });

    test('an unfinished work stays, and one that has ended goes after 30 days', async () => {
      const [id] = await runs(1, 'FAILED');
      const ended = await create({ action: 'retry', flow_run_ids: [id] });
      await pass();
      const open = await create({ action: 'delete', flow_run_ids: [id] });
      await new WorkspaceRetention().runOnce(server.context(addSeconds(systemClock.now(), 31 * 86_400)));
      assert.equal((await server.get(`/bulk_work/${ended.id}`)).status, 404);
      assert.equal((await server.get(`/bulk_work/${open.id}`)).status, 200);
      await pass();
    });
  });

  describe(`the rights of bulk work on ${database}`, () => {
    test('a viewer may not begin one, and a creator who loses the right stops it', async () => {
      const server = await startServer({ database, config: { apiAuth: 'key' } });
      try {
        const admin = await person(server, 'ada@example.com', 'admin');
        const bob = await person(server, 'bob@example.com', 'member');
        const [{ id: workspace }] = (await admin.get('/organizations/default/workspaces')).body.items;
        const give = async (role: string) => {
          const path = `/organizations/default/workspaces/${workspace}/grants/${bob.id}`;
          assert.ok((await admin.put(path, { role })).status < 300);
        };
        const as = (key: string) => ({ authorization: `Bearer ${key}` });
        const { body: flow } = await server.post('/flows/', { name: 'f' }, as(admin.key));
        const run = async () =>
          (await server.post('/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } }, as(admin.key))).body.id;
        const flow_run_ids = [await run(), await run()];
        const ask = () => server.post('/bulk_work/', { action: 'cancel', flow_run_ids }, as(bob.key));
        await give('viewer');
        assert.equal((await ask()).status, 403);
        await give('editor');
        const { body: work } = await ask();
        assert.equal(work.created_by.display_value, 'bob@example.com');
        await give('viewer');
        const pass = () => new BulkWork().runOnce(createContext(server.server, server.server.defaultWorkspace));
        while (await pass());
        const read = async (id: string) => (await server.get(`/bulk_work/${id}`, as(admin.key))).body;
        const stopped = await read(work.id);
        assert.deepEqual([stopped.status, stopped.done], ['FAILED', 0]);
        assert.match(stopped.problem, /bob@example.com may no longer change runs in this workspace/);
        await give('editor');
        const { body: second } = await ask();
        while (await pass());
        assert.deepEqual([(await read(second.id)).status, (await read(second.id)).done], ['COMPLETED', 2]);
        const { state } = (await server.get(`/flow_runs/${flow_run_ids[0]}`, as(admin.key))).body;
        assert.equal(state.message, 'Cancelled by bob@example.com');
      } finally {
        await server.stop();
      }
    });

    test('runs of another workspace stay as they are', async () => {
      const server = await startServer({ database, config: { apiAuth: 'key' } });
      try {
        const admin = await person(server, 'ada@example.com', 'admin');
        const path = '/organizations/default/workspaces';
        const { body: other } = await admin.post(path, { name: 'other', handle: 'other' });
        const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
        const inOther = async (method: string, path: string, body?: object) => {
          const base = `/api/accounts/${other.organizationId}/workspaces/${other.id}`;
          return (await server.request(method, base + path, body && JSON.stringify(body), headers)).body;
        };
        const { id: flow_id } = await inOther('POST', '/flows/', { name: 'f' });
        const { id } = await inOther('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' } });
        const { body } = await server.post('/bulk_work/', { action: 'delete', flow_run_ids: [id] }, headers);
        assert.deepEqual([body.status, body.total], ['COMPLETED', 0]);
        assert.equal((await inOther('GET', `/flow_runs/${id}`)).state.type, 'RUNNING');
        assert.match((await inOther('GET', `/bulk_work/${body.id}`)).exception_message, /not found/);
      } finally {
        await server.stop();
      }
    });
  });
}
