/**
 * Replicas that schedule together are killed, restarted and frozen: each run of a schedule is created exactly once, and
 * so is each of its late marks and each expiry of a lease.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts';
import { count, FaultServer, p99, report } from './harness.ts';

const REPLICAS = 3;
const DEPLOYMENTS = count(20, 200);
/** Seconds between two runs of a schedule. */
const SECONDS_APART = count(2, 5);
const KILLS = count(3, 60);
/** Beyond the time for which PostgreSQL lets an idle transaction hold its rows. */
const FROZEN_SECONDS = count(12, 60);
const RECOVERY_SECONDS = 15;
const P99_SECONDS = 5;
const SLOTS = 60;
const SLOTS_KEPT = 20;
const settings = {
  // Replicas share it.
  SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SIGNALBOX_SCHEDULER_MIN_SECONDS: '20',
  SIGNALBOX_SCHEDULER_MAX_RUNS: '20',
  SIGNALBOX_LATE_AFTER_SECONDS: '1',
};

interface Run {
  readonly id: string;
  readonly created: string;
  readonly expected_start_time: string;
  readonly created_by: { readonly id: string };
}

describe('replicas that schedule together', () => {
  let postgres: OwnPostgres | undefined;
  let database: pg.Client;
  let replicas: FaultServer[] = [];
  const leases: string[] = [];
  let from: number;
  let until: number;

  const post = async (path: string, body: object) => {
    const answer = await fetch(replicas[0]?.api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
    return (await answer.json()) as any;
  };
  const rows = async (query: string, values: unknown[] = []) => (await database.query(query, values)).rows;
  /** All at the same moment: pages would shift while the replicas create runs. */
  const runsMade = async (): Promise<Run[]> => {
    const made = await rows('select id, created, expected_start_time, created_by from flow_run');
    return made.map((run) => ({
      ...run,
      created: run.created.toISOString(),
      expected_start_time: run.expected_start_time.toISOString(),
      created_by: JSON.parse(run.created_by),
    }));
  };

  before(async () => {
    postgres = await startOwnPostgres();
    if (!postgres) return;
    const databaseUrl = await postgres.createDatabase();
    const start = () => FaultServer.start({ databaseUrl, environment: settings });
    // The first replica creates the tables.
    replicas = [await start()];
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS - 1 }, start))));
    database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const flow = await post('/flows/', { name: 'scheduled' });
    const anchor_date = '2026-01-01T00:00:00Z';
    const deploy = (number: number) => {
      const schedule =
        number % 3 === 0
          ? { rrule: `DTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY;INTERVAL=${SECONDS_APART}` }
          : { interval: SECONDS_APART, anchor_date };
      return post('/deployments/', {
        flow_id: flow.id,
        name: `d${number}`,
        schedules: [{ schedule }, { schedule, slug: 'again' }],
      });
    };
    await Promise.all(Array.from({ length: DEPLOYMENTS }, (_, number) => deploy(number)));
    await post('/v2/concurrency_limits/', { name: 'shared', limit: SLOTS });
    const asked = { names: ['shared'], slots: 1, mode: 'concurrency', lease_duration: 3600 };
    const take = () => post('/v2/concurrency_limits/increment-with-lease', asked);
    const taken = await Promise.all(Array.from({ length: SLOTS }, take));
    leases.push(...taken.map(({ lease_id }) => lease_id));
    from = Date.now() + SECONDS_APART * 1000;
  });
  after(async () => {
    await database?.end();
    for (const replica of replicas) await replica.dispose();
    await postgres?.stop();
  });

  test('each is killed and restarted, and one is frozen for longer than its rows stay locked', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    await rows('update concurrency_lease set expires_at = now() where id = any($1)', [leases.slice(SLOTS_KEPT)]);
    const restart = async (replica: FaultServer | undefined) => {
      await delay(500 + Math.random() * 1000);
      await replica?.end('SIGKILL');
      await delay(500);
      await replica?.start();
    };
    for (let kill = 2; kill < KILLS; kill++) await restart(replicas[kill % REPLICAS]);
    const [first, second, frozen] = replicas;
    frozen?.freeze();
    const thawed = delay(FROZEN_SECONDS * 1000).then(() => frozen?.thaw());
    await restart(first);
    await restart(second);
    await thawed;
    await delay(2000);
    until = Date.now();
    // By then every run that is due now exists, late or not.
    await delay(count(5, RECOVERY_SECONDS) * 1000);
    for (const replica of replicas) assert.ok(replica.running, replica.output);
  });

  test('for each schedule and time there is exactly one run, created before it was due', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const runs = await runsMade();
    const times = new Map<string, number>();
    for (const { created_by, expected_start_time } of runs) {
      const key = `${created_by.id} ${Date.parse(expected_start_time)}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    const twice = [...times].filter(([, made]) => made > 1);
    const schedules = new Set(runs.map(({ created_by }) => created_by.id));
    assert.equal(schedules.size, 2 * DEPLOYMENTS);
    const missing: string[] = [];
    const step = SECONDS_APART * 1000;
    let expected = 0;
    for (const schedule of schedules) {
      for (let due = Math.ceil(from / step) * step; due < until; due += step) {
        expected++;
        if (!times.has(`${schedule} ${due}`)) missing.push(`${schedule} ${new Date(due).toISOString()}`);
      }
    }
    const behind = runs
      .filter((run) => Date.parse(run.expected_start_time) >= from && Date.parse(run.expected_start_time) < until)
      .map((run) => Math.max(0, Date.parse(run.created) - Date.parse(run.expected_start_time)) / 1000)
      .sort((one, other) => one - other);
    const slowest = p99(behind);
    const longest = behind.at(-1) ?? 0;
    const faults = `${KILLS} kills, frozen for ${FROZEN_SECONDS} s`;
    report({ test: '7', name: `runs made twice (${faults})`, value: `${twice.length} of ${expected}`, limit: '0' });
    report({ test: '7', name: 'runs missing', value: `${missing.length} of ${expected}`, limit: '0' });
    report({ test: '7', name: 'made after due, p99', value: `${slowest.toFixed(2)} s`, limit: `${P99_SECONDS} s` });
    report({
      test: '8',
      name: 'made after due, at most',
      value: `${longest.toFixed(2)} s`,
      limit: `${RECOVERY_SECONDS} s`,
    });
    assert.deepEqual(twice, []);
    assert.deepEqual(missing.slice(0, 10), []);
    assert.ok(slowest <= P99_SECONDS && longest <= RECOVERY_SECONDS, `${slowest} s, ${longest} s`);
  });

  test('each run is marked late once, with one event', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const overdue = (await runsMade()).filter(({ expected_start_time }) => Date.parse(expected_start_time) < until);
    const states = await rows(
      `select flow_run_id as id, count(*)::int as times from flow_run_state where name = 'Late' group by 1`,
    );
    const events = await rows(
      `select resource_id as id, count(*)::int as times from event where event = 'prefect.flow-run.Late' group by 1`,
    );
    const once = new Map<string, number>(states.map(({ id, times }) => [id, times]));
    const toldOnce = new Map<string, number>(events.map(({ id, times }) => [id, times]));
    const wrong = overdue.filter(({ id }) => once.get(id) !== 1 || toldOnce.get(`prefect.flow-run.${id}`) !== 1);
    report({
      test: '8',
      name: 'runs not called late exactly once, with one event',
      value: `${wrong.length} of ${overdue.length}`,
      limit: '0',
    });
    assert.deepEqual(wrong.slice(0, 5), []);
  });

  test('expired leases free their slots once, and the others keep theirs', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const answer = await fetch(`${replicas[0]?.api}/v2/concurrency_limits/shared`);
    const { active_slots } = (await answer.json()) as { active_slots: number };
    const left = await rows('select id from concurrency_lease');
    report({ test: '8', name: 'slots held by leases that go on', value: `${active_slots}`, limit: `${SLOTS_KEPT}` });
    assert.equal(active_slots, SLOTS_KEPT);
    assert.deepEqual(new Set(left.map(({ id }) => id)), new Set(leases.slice(0, SLOTS_KEPT)));
  });
});
