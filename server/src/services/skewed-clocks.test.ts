/** Replicas on one database whose machines disagree about the time by an hour. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { timeAhead } from '../../test/support/local-time.ts';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { newId } from '../values/id.ts';
import { microsecondsOf } from '../values/time.ts';
import { scheduler } from './scheduler.ts';
import { lateRuns } from './upkeep/late-runs.ts';
import { leaseExpiry } from './upkeep/lease-expiry.ts';

const HOUR_MILLISECONDS = 3_600_000;
/** A clock that is less wrong follows the database's. */
const NEAR_MILLISECONDS = HOUR_MILLISECONDS / 2;

const skewed = (milliseconds: number) => timeAhead(() => milliseconds);

describe('replicas with wrong clocks', { skip: !databases.includes('postgres') }, () => {
  let right: TestServer;
  let fast: TestServer;
  let slow: TestServer;
  before(async () => {
    const config = { encryptionKey: randomBytes(32).toString('base64') };
    right = await startServer({ database: 'postgres', config });
    const { databaseUrl } = right.server.config;
    fast = await startServer({ database: 'postgres', config, databaseUrl, local: skewed(HOUR_MILLISECONDS) });
    slow = await startServer({ database: 'postgres', config, databaseUrl, local: skewed(-HOUR_MILLISECONDS) });
  });
  after(async () => {
    await Promise.all([fast?.stop(), slow?.stop()]);
    await right?.stop();
  });

  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const replicas = () => [fast, slow, right];

  test('they agree about the time', () => {
    for (const { server } of replicas()) {
      assert.ok(Math.abs(server.clock.microseconds() / 1000 - Date.now()) < NEAR_MILLISECONDS, server.clock.now());
    }
  });

  test('no lease expires early, whichever replica granted or checks it', async () => {
    for (const giver of replicas()) {
      const name = `limit ${newId()}`;
      await giver.post('/v2/concurrency_limits/', { name, limit: 1 });
      const given = await giver.post('/v2/concurrency_limits/increment-with-lease', {
        names: [name],
        slots: 1,
        lease_duration: 60,
      });
      assert.equal(given.status, 200, given.text);
      for (const looker of replicas()) await leaseExpiry.runOnce(looker.context());
      const limit = await right.get(`/v2/concurrency_limits/${name}`);
      assert.equal(limit.body.active_slots, 1);
    }
  });

  test('no replica marks a run late early, and every replica marks a late one', async () => {
    const flow = await right.post('/flows/', { name: newId() });
    const run = async (scheduled_time: string) =>
      (
        await right.post('/flow_runs/', {
          flow_id: flow.body.id,
          state: { type: 'SCHEDULED', state_details: { scheduled_time } },
        })
      ).body.id;
    const stateOf = async (id: string) => (await right.get(`/flow_runs/${id}`)).body.state_name;
    const soon = await run(inSeconds(60));
    for (const replica of replicas()) {
      const overdue = await run(inSeconds(-60));
      await lateRuns.runOnce(replica.context());
      assert.deepEqual([await stateOf(overdue), await stateOf(soon)], ['Late', 'Scheduled']);
    }
  });

  test('a schedule gets each run once, the first at its next time', async () => {
    const flow = await right.post('/flows/', { name: newId() });
    const { body } = await right.post('/deployments/', {
      flow_id: flow.body.id,
      name: newId(),
      schedules: [{ schedule: { interval: 60, anchor_date: '2020-01-01T00:00:00Z' } }],
    });
    const scheduled = async (): Promise<string[]> => {
      for (const replica of replicas()) while (await scheduler.runOnce(replica.context())) {}
      const filter = { deployments: { id: { any_: [body.id] } }, sort: 'EXPECTED_START_TIME_ASC', limit: 200 };
      const runs = (await right.post('/flow_runs/filter', filter)).body as { expected_start_time: string }[];
      return runs.map(({ expected_start_time }) => expected_start_time);
    };
    const begun = Date.now();
    const first = await scheduled();
    const ended = Date.now();
    assert.equal(new Set(first).size, first.length);
    const next = Date.parse(first[0] ?? '');
    assert.ok(next > begun && next <= ended + 60_000, `${first[0]} is the next minute`);
    assert.ok(Date.parse(first.at(-1) ?? '') < ended + HOUR_MILLISECONDS + 100_000);
  });

  test('their records have the same clock', async () => {
    const stamps = await Promise.all(
      replicas().map(async (replica) => (await replica.post('/flows/', { name: newId() })).body.created),
    );
    for (const stamp of stamps)
      assert.ok(Math.abs(microsecondsOf(stamp) / 1000 - Date.now()) < NEAR_MILLISECONDS, stamp);
  });
});
