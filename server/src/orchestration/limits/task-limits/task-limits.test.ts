import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { leaseExpiry } from '../../../services/upkeep/lease-expiry.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';

for (const database of databases) {
  describe(`concurrency limits on tags on ${database}`, () => {
    let server: TestServer;
    let flow_run_id: string;
    before(async () => {
      server = await startServer({ database });
      const flow_id = (await server.post('/flows/', { name: 'tagged' })).body.id;
      flow_run_id = (await server.post('/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body.id;
    });
    after(() => server.stop());

    const at = '/concurrency_limits';
    const create = (tag: string, concurrency_limit: number) => server.post(`${at}/`, { tag, concurrency_limit });
    const increment = (names: string[], task_run_id: string) => server.post(`${at}/increment`, { names, task_run_id });
    const decrement = (names: string[], task_run_id: string) => server.post(`${at}/decrement`, { names, task_run_id });
    const holders = async (tag: string) => (await server.get(`${at}/tag/${tag}`)).body.active_slots;
    const active = async (tag: string) => (await server.get(`/v2/concurrency_limits/tag:${tag}`)).body.active_slots;
    let count = 0;
    const task = async (tags: string[]) =>
      (await server.post('/task_runs/', { flow_run_id, task_key: 't', dynamic_key: String(count++), tags })).body
        .id as string;
    const set = async (id: string, type: string, force = false) =>
      (await server.post(`/task_runs/${id}/set_state`, { state: { type }, force })).body;

    test('a limit is created, changed, read, listed and deleted, and is a global limit too', async () => {
      const made = await create('crud', 1);
      assert.equal(made.status, 201);
      const changed = await create('crud', 3);
      assert.equal(changed.status, 200);
      const { id } = made.body;
      const { created, updated, ...rest } = changed.body;
      assert.equal(created, made.body.created);
      assert.ok(updated > made.body.updated);
      assert.deepEqual(rest, { id, tag: 'crud', concurrency_limit: 3, active_slots: [] });
      assert.deepEqual((await server.get(`${at}/${id}`)).body, changed.body);
      assert.equal((await server.get('/v2/concurrency_limits/tag:crud')).body.limit, 3);
      const { body: other } = await server.post('/v2/concurrency_limits/', { name: 'on-no-tag', limit: 1 });
      assert.equal((await server.get(`${at}/${other.id}`)).status, 404);
      for (const listed of [await server.post(`${at}/filter`), await server.get(`${at}/?limit=200`)]) {
        const tags = listed.body.map(({ tag }: { tag: string }) => tag);
        assert.ok(tags.includes('crud') && !tags.includes('on-no-tag'));
      }
      assert.deepEqual((await server.delete(`${at}/tag/crud`)).body, null);
      assert.equal((await create('a/b', 1)).status, 422);
    });

    test('an invalid limit is refused', async () => {
      const huge = '1000000000000000000000000000000';
      for (const body of [
        `{"tag":"huge","concurrency_limit":${huge}}`,
        '{"tag":"huge","concurrency_limit":9223372036854775808}',
        '{"tag":"a\\u0000b","concurrency_limit":1}',
      ]) {
        assert.equal((await server.post(`${at}/`, body)).status, 422, body);
      }
      assert.equal((await server.post('/v2/concurrency_limits/', `{"name":"huge","limit":${huge}}`)).status, 422);
      assert.equal((await server.get(`${at}/not-an-id`)).status, 404);
      assert.equal((await increment(['a'], 'not-an-id')).status, 422);
    });

    test("task runs hold slots of all their tags or of none, and the answer uses the client's words", async () => {
      await create('db', 1);
      await create('api', 2);
      const [first, second] = [newId(), newId()];
      const taken = await increment(['api', 'nobody-limits-this', 'db'], first);
      assert.deepEqual(
        taken.body.map(({ name, limit }: { name: string; limit: number }) => [name, limit]),
        [
          ['api', 2],
          ['db', 1],
        ],
      );
      assert.deepEqual(await holders('db'), [first]);
      const full = await increment(['api', 'db'], second);
      assert.equal(full.status, 423);
      assert.deepEqual(full.body, { detail: 'Concurrency limit for the db tag has been reached' });
      assert.equal(Number(full.headers['retry-after']), 10);
      assert.deepEqual(await holders('api'), [first]);
      const back = await decrement(['db'], first);
      assert.deepEqual(
        back.body.map(({ name }: { name: string }) => name),
        ['tag:db'],
      );
      // Slots taken together are released together.
      assert.deepEqual([await holders('db'), await holders('api')], [[], []]);
      assert.deepEqual((await decrement(['nobody-limits-this'], first)).body, []);
      assert.deepEqual((await increment(['nobody-limits-this'], first)).body, []);
    });

    test('a tag with a limit of 0 is refused without a time to retry', async () => {
      await create('never', 0);
      const refused = await increment(['never'], newId());
      assert.equal(refused.status, 423);
      assert.equal(refused.headers['retry-after'], undefined);
      assert.deepEqual(refused.body, {
        detail: 'The concurrency limit on tag "never" is 0 and will deadlock if the task tries to run again.',
      });
    });

    test('slots that are never released stay until a reset, which replaces their holders', async () => {
      await create('stuck', 2);
      const [first, second, third] = [newId(), newId(), newId()];
      await increment(['stuck'], first);
      await increment(['stuck'], second);
      await leaseExpiry.runOnce(server.context(addSeconds(systemClock.now(), 10 * 365 * 86_400)));
      assert.deepEqual(await holders('stuck'), [first, second]);
      assert.deepEqual((await server.post(`${at}/tag/stuck/reset`, { slot_override: [third] })).body, null);
      assert.deepEqual([await holders('stuck'), await active('stuck')], [[third], 1]);
      assert.equal((await server.post(`${at}/tag/stuck/reset`)).status, 200);
      assert.deepEqual([await holders('stuck'), await active('stuck')], [[], 0]);
      assert.equal((await increment(['stuck'], first)).status, 200);
    });

    test('a reset to given holders changes a limit that has room for them', async () => {
      const updated = async (tag: string) => (await server.get(`${at}/tag/${tag}`)).body.updated;
      const isChanged = async (tag: string, slot_override: string[]) => {
        const before = await updated(tag);
        await server.post(`${at}/tag/${tag}/reset`, { slot_override });
        return (await updated(tag)) !== before;
      };
      await create('named', 2);
      assert.equal(await isChanged('named', []), false);
      assert.equal(await isChanged('named', [newId()]), true);
      assert.equal(await isChanged('named', [newId(), newId()]), true);
      assert.equal(await isChanged('named', [newId()]), false);
    });

    test('a task run that starts through the API takes the slots of its tags, and waits where one is full', async () => {
      await create('red', 1);
      await create('blue', 1);
      const [first, second] = [await task(['red']), await task(['red', 'blue', 'green'])];
      assert.equal((await set(first, 'RUNNING')).status, 'ACCEPT');
      const waits = await set(second, 'RUNNING');
      assert.equal(waits.status, 'WAIT');
      assert.equal(waits.details.reason, 'Concurrency limit reached for tags: blue, red');
      assert.ok(waits.details.delay_seconds >= 1 && waits.details.delay_seconds <= 10);
      assert.deepEqual([await holders('red'), await holders('blue')], [[first], []]);
      // The run already has its slot.
      assert.equal((await set(first, 'RUNNING')).status, 'ACCEPT');
      await set(first, 'CANCELLING');
      assert.equal(await active('red'), 1);
      await set(first, 'COMPLETED');
      assert.equal((await set(second, 'RUNNING')).status, 'ACCEPT');
      assert.deepEqual([await holders('red'), await holders('blue')], [[second], [second]]);
      await server.delete(`/task_runs/${second}`);
      assert.deepEqual([await active('red'), await active('blue')], [0, 0]);
      await create('black', 0);
      const never = await set(await task(['black']), 'RUNNING');
      assert.equal(never.status, 'ABORT');
      assert.match(never.details.reason, /^The concurrency limit on tag "black" is 0 and will deadlock/);
    });

    test('a slot taken for a state that is not stored is freed', async () => {
      await create('early', 1);
      const id = await task(['early']);
      const scheduled_time = addSeconds(systemClock.now(), 3600);
      await server.post(`/task_runs/${id}/set_state`, {
        state: { type: 'SCHEDULED', state_details: { scheduled_time } },
      });
      const waits = await set(id, 'RUNNING');
      assert.equal(waits.details.reason, 'Scheduled time is in the future');
      assert.equal(await active('early'), 0);
    });

    test('slots that a client holds for its task run are freed when the API ends that run', async () => {
      await create('client', 1);
      const id = await task(['client']);
      await server.post('/v2/concurrency_limits/increment-with-lease', {
        names: ['tag:client'],
        slots: 1,
        holder: { type: 'task_run', id },
      });
      assert.deepEqual(await holders('client'), [id]);
      await set(id, 'CANCELLED', true);
      assert.deepEqual([await holders('client'), await active('client')], [[], 0]);
    });

    test('one of many concurrent requests gets the last slot', async () => {
      await create('race', 1);
      const ids = await Promise.all(Array.from({ length: 10 }, () => task(['race'])));
      const asked = await Promise.all([
        ...ids.map(async (id) => (await set(id, 'RUNNING')).status === 'ACCEPT'),
        ...ids.map(async () => (await increment(['race'], newId())).status === 200),
      ]);
      assert.equal(asked.filter(Boolean).length, 1);
      assert.equal(await active('race'), 1);
    });
  });
}
