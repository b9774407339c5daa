import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { deleteEmptyLeases } from './lease-queries.ts';

for (const database of databases) {
  describe(`global concurrency limits on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const at = '/v2/concurrency_limits';
    const create = (name: string, limit: number, more: object = {}) => server.post(`${at}/`, { name, limit, ...more });
    const active = async (name: string) => (await server.get(`${at}/${name}`)).body.active_slots;
    const lease = (names: string[], slots = 1, more: object = {}) =>
      server.post(`${at}/increment-with-lease`, { names, slots, ...more });
    const release = (lease_id: string) => server.post(`${at}/decrement-with-lease`, { lease_id });
    const increment = (names: string[], slots = 1, more: object = {}) =>
      server.post(`${at}/increment`, { names, slots, ...more });
    const decrement = (names: string[], slots = 1, more: object = {}) =>
      server.post(`${at}/decrement`, { names, slots, ...more });
    /** Moves a lease or a limit `seconds` into the past. */
    const age = (table: 'lease' | 'limit', id: string, seconds: number) =>
      server.context().transaction(async (tx) => {
        const earlier = (time: Timestamp) => addSeconds(time, -seconds);
        if (table === 'lease') {
          const rows = await tx.query(
            sql<{
              expires_at: Timestamp;
            }>`select expires_at from concurrency_lease where "workspace" = ${tx.workspace} and id = ${id}`,
          );
          const expires_at = earlier(rows[0]!.expires_at);
          await tx.execute(
            sql`update concurrency_lease set expires_at = ${expires_at} where "workspace" = ${tx.workspace} and id = ${id}`,
          );
          return;
        }
        const rows = await tx.query(
          sql<{
            updated: Timestamp;
          }>`select updated from concurrency_limit where "workspace" = ${tx.workspace} and id = ${id}`,
        );
        const updated = earlier(rows[0]!.updated);
        await tx.execute(
          sql`update concurrency_limit set updated = ${updated} where "workspace" = ${tx.workspace} and id = ${id}`,
        );
      });

    test('a limit is created, read by id and by name, changed, listed and deleted', async () => {
      const created = await create('crud', 2, { active_slots: 1 });
      assert.equal(created.status, 201);
      const { id } = created.body;
      assert.match(created.text, /"slot_decay_per_second":0\.0,"avg_slot_occupancy_seconds":2\.0\}$/);
      assert.equal(created.body.active_slots, 1);
      const read = await server.get(`${at}/crud`);
      assert.equal('denied_slots' in read.body, false);
      for (const spelled of [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`]) {
        assert.deepEqual((await server.get(`${at}/${encodeURIComponent(spelled)}`)).body, read.body);
      }
      assert.equal((await server.patch(`${at}/${id}`, { limit: 5, name: 'crud-2', active: false })).status, 204);
      const { limit, name, active: on } = (await server.get(`${at}/crud-2`)).body;
      assert.deepEqual({ limit, name, on }, { limit: 5, name: 'crud-2', on: false });
      for (const listed of [await server.post(`${at}/filter`), await server.get(`${at}/`)]) {
        assert.ok(listed.body.some((found: { id: string }) => found.id === id));
      }
      assert.equal((await server.delete(`${at}/crud-2`)).status, 204);
    });

    test('a name has a form, a limit is not negative, and no field can be set to null', async () => {
      await create('other', 1);
      assert.equal((await server.patch(`${at}/other`, { limit: null })).status, 409);
      assert.equal((await create('a/b', 1)).status, 422);
      assert.equal((await create('negative', -1)).status, 422);
    });

    test('the event of a change holds the limit', async () => {
      const { id } = (await create('told', 1, { slot_decay_per_second: 1 })).body;
      await server.patch(`${at}/told`, { limit: 3 });
      const resource = { id: [`prefect.concurrency-limit.${id}`] };
      const { events } = (await server.post('/events/filter', { filter: { resource, order: 'ASC' } })).body;
      assert.deepEqual(events[1].payload, { name: 'told', limit: 3, active: true, slot_decay_per_second: 1 });
    });

    test('slots are taken until the limit is reached, then the answer says when to retry', async () => {
      const { id } = (await create('plain', 2)).body;
      const taken = await increment(['plain', 'plain', 'nobody-knows-this'], 2);
      assert.equal(taken.status, 200);
      assert.deepEqual(taken.body, [{ id, name: 'plain', limit: 2 }]);
      const full = await increment(['plain']);
      assert.equal(full.status, 423);
      assert.deepEqual(full.body, { detail: 'Locked' });
      // Half of the slots of a limit whose average hold is 2 s: about 1 s.
      const wait = Number(full.headers['retry-after']);
      assert.ok(wait >= 0.7 && wait <= 1.3, `${wait}`);
      assert.equal((await decrement(['plain'])).status, 200);
      assert.equal(await active('plain'), 1);
    });

    test('returning more slots than were taken leaves zero in use, never fewer', async () => {
      await create('generous', 3);
      await increment(['generous'], 2);
      assert.equal((await decrement(['generous', 'nobody-knows-this'], 10)).body.length, 1);
      assert.equal(await active('generous'), 0);
      await decrement(['generous'], 10);
      assert.equal((await increment(['generous'], 3)).status, 200);
      assert.equal((await increment(['generous'])).status, 423);
    });

    test('a request that can never be granted is refused with a reason', async () => {
      await create('small', 2);
      await create('also-small', 2);
      const tooMany = await increment(['small'], 3);
      assert.equal(tooMany.status, 422);
      assert.deepEqual(tooMany.body, { detail: 'Slots requested is greater than the limit' });
      const rate = await lease(['small', 'also-small'], 1, { mode: 'rate_limit' });
      assert.equal(rate.status, 422);
      assert.deepEqual(rate.body, {
        detail:
          "Only concurrency limits with slot decay can be used for rate limiting. The following limits do not have a decay configured: 'also-small,small'",
      });
    });

    test('a request takes slots of all its limits or of none', async () => {
      await create('roomy', 5);
      await create('tight', 1);
      const held = await lease(['tight']);
      assert.equal((await lease(['roomy', 'tight'])).status, 423);
      assert.equal((await increment(['tight', 'roomy'])).status, 423);
      assert.equal(await active('roomy'), 0);
      await release(held.body.lease_id);
      assert.equal((await lease(['roomy', 'tight'])).status, 200);
      assert.deepEqual([await active('roomy'), await active('tight')], [1, 1]);
    });

    test('50 concurrent requests for 5 slots get exactly 5', async () => {
      await create('race', 5);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 ? lease(['race']) : increment(['race']))),
      );
      const granted = answers.filter(({ status }) => status === 200);
      assert.equal(granted.length, 5);
      assert.ok(answers.every(({ status }) => status === 200 || status === 423));
      assert.equal(await active('race'), 5);
    });

    test('concurrent requests that name limits in different orders do not deadlock', async () => {
      await create('one', 1);
      await create('two', 1);
      const cycle = async (names: string[]) => {
        const { status, body } = await lease(names);
        if (status === 200) await release(body.lease_id);
        return status;
      };
      const statuses = await Promise.all(
        Array.from({ length: 20 }, (_, n) => cycle(n % 2 ? ['one', 'two'] : ['two', 'one'])),
      );
      assert.ok(statuses.every((status) => status === 200 || status === 423));
      assert.deepEqual([await active('one'), await active('two')], [0, 0]);
    });

    test('a lease that is not renewed expires, and its slots become free', async () => {
      await create('expiring', 1);
      const first = await lease(['expiring'], 1, { lease_duration: 60, holder: { type: 'task_run', id: newId() } });
      assert.equal((await lease(['expiring'])).status, 423);
      await age('lease', first.body.lease_id, 61);
      assert.equal(await active('expiring'), 0);
      assert.equal((await server.post(`${at}/leases/${first.body.lease_id}/renew`)).status, 410);
      assert.equal((await lease(['expiring'])).status, 200);
      assert.equal((await release(first.body.lease_id)).status, 204);
      assert.equal(await active('expiring'), 1);
    });

    test('a lease can be renewed while it lasts, and not after it was returned', async () => {
      await create('renewed', 1);
      const { lease_id } = (await lease(['renewed'], 1, { lease_duration: 60 })).body;
      await age('lease', lease_id, 50);
      assert.equal((await server.post(`${at}/leases/${lease_id}/renew`, { lease_duration: 60 })).status, 204);
      await age('lease', lease_id, 50);
      assert.equal(await active('renewed'), 1);
      for (const _ of [1, 2]) assert.equal((await release(lease_id)).status, 204);
      assert.equal(await active('renewed'), 0);
      const gone = await server.post(`${at}/leases/${lease_id}/renew`, { lease_duration: 60 });
      assert.equal(gone.status, 410);
      assert.deepEqual(gone.body, { detail: 'Lease not found - it may have expired or been revoked' });
      const noId = await server.post(`${at}/leases/xx/renew`, {});
      assert.equal(noId.body.exception_detail[0].type, 'uuid_parsing');
    });

    test('concurrent returns of a lease free its slots once', async () => {
      await create('twice', 4);
      await lease(['twice'], 2);
      const { lease_id } = (await lease(['twice'], 2)).body;
      await Promise.all([release(lease_id), release(lease_id), release(lease_id)]);
      assert.equal(await active('twice'), 2);
    });

    test("slots of a lease are freed by the lease, and not by another's decrement", async () => {
      await create('mixed', 3);
      const { lease_id } = (await lease(['mixed'], 2)).body;
      await increment(['mixed']);
      await decrement(['mixed'], 3);
      assert.equal(await active('mixed'), 2);
      await release(lease_id);
      assert.equal(await active('mixed'), 0);
    });

    test('a lease of unknown names holds no slot, and can be renewed and returned', async () => {
      const { status, body } = await lease(['tag:nobody-limits-this'], 1, { lease_duration: 60 });
      assert.equal(status, 200);
      assert.deepEqual(body.limits, []);
      assert.equal((await server.post(`${at}/leases/${body.lease_id}/renew`)).status, 204);
      assert.equal((await release(body.lease_id)).status, 204);
      assert.equal((await server.post(`${at}/leases/${body.lease_id}/renew`)).status, 410);
      assert.equal((await server.get(`${at}/tag:nobody-limits-this`)).status, 404);
    });

    test('a request for slots of no limit is refused', async () => {
      for (const action of ['increment', 'decrement', 'increment-with-lease']) {
        const { status, body } = await server.post(`${at}/${action}`, { names: [], slots: 1 });
        assert.equal(status, 422, action);
        assert.deepEqual(body.exception_detail[0].loc, ['body', 'names']);
        assert.equal(body.exception_detail[0].type, 'too_short');
      }
    });

    test('leases of unknown names do not accumulate', async () => {
      const { lease_id } = (await lease(['tag:nobody-limits-this'], 1, { lease_duration: 60 })).body;
      const context = server.context();
      const sweep = (seconds: number) =>
        context.transaction((tx) => deleteEmptyLeases(tx, addSeconds(context.now, seconds), 100));
      assert.equal(await sweep(50), 0);
      assert.ok((await sweep(70)) >= 1);
      assert.equal((await server.post(`${at}/leases/${lease_id}/renew`)).status, 410);
    });

    test('an inactive limit is listed and never full', async () => {
      await create('off', 1, { active: false });
      const taken = await lease(['off'], 9);
      assert.equal(taken.body.limits[0].name, 'off');
      assert.equal((await increment(['off'], 9)).body[0].name, 'off');
      assert.equal(await active('off'), 0);
    });

    test('slots become free over time on a limit with decay', async () => {
      const { id } = (await create('decaying', 10, { slot_decay_per_second: 0.5 })).body;
      await increment(['decaying'], 9, { mode: 'rate_limit' });
      const full = await increment(['decaying'], 5, { mode: 'rate_limit' });
      assert.equal(full.status, 423);
      const wait = Number(full.headers['retry-after']);
      assert.ok(wait >= 7 && wait <= 13, `${wait}`);
      await age('limit', id, 8.5);
      assert.equal(await active('decaying'), 5);
      assert.equal((await increment(['decaying'], 5, { mode: 'rate_limit' })).status, 200);
      assert.equal(await active('decaying'), 10);
      await age('limit', id, 4.5);
      await server.patch(`${at}/decaying`, { denied_slots: 0 });
      assert.equal(await active('decaying'), 8);
      await age('limit', id, 3600);
      assert.equal(await active('decaying'), 0);
      await lease(['decaying'], 4);
      await age('limit', id, 2);
      assert.equal(await active('decaying'), 3);
      await server.patch(`${at}/decaying`, { slot_decay_per_second: 1e308 });
      await age('limit', id, 2);
      assert.equal((await increment(['decaying'], 10)).status, 200);
    });

    test('the slots in use can be set, also below the number that leases hold', async () => {
      await create('reset', 3);
      const { lease_id } = (await lease(['reset'], 2)).body;
      await server.patch(`${at}/reset`, { active_slots: 7 });
      assert.equal(await active('reset'), 7);
      await server.patch(`${at}/reset`, { active_slots: 1 });
      assert.equal(await active('reset'), 1);
      await server.patch(`${at}/reset`, { active_slots: 0 });
      assert.equal(await active('reset'), 0);
      assert.equal((await server.post(`${at}/leases/${lease_id}/renew`)).status, 204);
      assert.equal((await increment(['reset'], 3)).status, 200);
      await release(lease_id);
      assert.equal(await active('reset'), 3);
    });

    test('the average hold time decides how long others wait', async () => {
      await create('slow', 1);
      await increment(['slow']);
      await decrement(['slow'], 1, { occupancy_seconds: 10 });
      await increment(['slow']);
      // The average moved halfway from 2 s to 10 s.
      const wait = Number((await increment(['slow'])).headers['retry-after']);
      assert.ok(wait >= 4.2 && wait <= 7.8, `${wait}`);
      await create('tag:slow', 1);
      await increment(['tag:slow']);
      await decrement(['tag:slow'], 1, { occupancy_seconds: 1000 });
      await increment(['tag:slow']);
      assert.ok(Number((await increment(['tag:slow'])).headers['retry-after']) <= 13);
    });

    test('a lease outlives its limit', async () => {
      await create('short-lived', 1);
      const { lease_id } = (await lease(['short-lived'])).body;
      await server.delete(`${at}/short-lived`);
      assert.equal((await server.post(`${at}/leases/${lease_id}/renew`, {})).status, 204);
      assert.equal((await release(lease_id)).status, 204);
    });
  });
}
