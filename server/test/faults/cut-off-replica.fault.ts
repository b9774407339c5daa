/**
 * Of two replicas on one PostgreSQL, one is cut off from the database and connected again, and then frozen and resumed. It
 * admits nobody whose access has ended meanwhile, schedules nothing twice, and takes no slot of a lease that goes on.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startCable } from '../support/cable.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { connect } from '../support/socket-client.ts';
import { until } from '../support/until.ts';
import { startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, FaultServer, report, runProgram } from './harness.ts';

const AWAY_SECONDS = count(12, 60);
const SECONDS_APART = 2;
const DEPLOYMENTS = 10;
const REQUESTS = 40;
const SLOTS = 20;
const SLOTS_KEPT = 8;
/** Until open connections of ended access are checked again, should the notice of the change be lost. */
const CHECKED_WITHIN_SECONDS = 40;

test('a replica that was cut off or frozen admits nobody whose access has ended, and does nothing twice', async (t) => {
  const postgres = await startOwnPostgres();
  if (!postgres) return t.skip('no PostgreSQL is installed');
  t.after(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  const cable = await startCable(Number(new URL(databaseUrl).port));
  t.after(() => cable.stop());
  const upstream = await startWatchedUpstream();
  t.after(() => upstream.stop());
  const environment = {
    SIGNALBOX_API_AUTH: 'key',
    SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
    SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SIGNALBOX_SCHEDULER_MIN_SECONDS: '20',
    SIGNALBOX_SCHEDULER_MAX_RUNS: '20',
    SIGNALBOX_LATE_AFTER_SECONDS: '1',
  };
  const healthy = await FaultServer.start({ databaseUrl, environment });
  t.after(() => healthy.dispose());
  const far = new URL(databaseUrl);
  far.port = String(cable.port);
  const cutOff = await FaultServer.start({ databaseUrl: far.href, environment });
  t.after(() => cutOff.dispose());
  const database = new pg.Client({ connectionString: databaseUrl });
  // PostgreSQL may stop before it ends.
  database.on('error', () => {});
  await database.connect();
  t.after(() => database.end());

  const command = async (...words: string[]) => {
    const ran = await runProgram([...words, '--json'], { home: healthy.home, databaseUrl, environment });
    assert.equal(ran.code, 0, ran.output);
    return JSON.parse(ran.stdout);
  };
  await command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
  const { secret } = await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test');
  const ask = async (path: string, body: object, method = 'POST') => {
    const answer = await fetch(healthy.api + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const organization = '/v0/organizations/default';
  await ask(`${organization}/servers`, {
    slug: 'held',
    name: 'held',
    kind: 'external',
    defaultRole: 'viewer',
    external: { url: upstream.url },
  });
  let made = 0;
  const newProgram = async () => {
    const given = { name: `program-${made++}`, descriptor: 'test', role: 'admin' };
    const { serviceAccount, secret: key } = await ask(`${organization}/service-accounts`, given);
    return {
      key: key as string,
      suspend: () => ask(`${organization}/service-accounts/${serviceAccount.id}/suspend`, {}),
    };
  };
  /** The status of a request at the replica that is cut off; 0 without an answer. */
  const statusAt = async (key: string) =>
    fetch(`${cutOff.api}/flows/filter`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
  const hold = async (key: string) => {
    const stream = await new Promise<{ ended: Promise<number> }>((resolve, reject) => {
      const headers = { accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` };
      const request = httpRequest(`${cutOff.origin}/servers/default/held/mcp`, { agent: false, headers });
      request.on('error', reject);
      request.on('response', (response) => {
        response.on('error', () => {});
        response.resume();
        if (response.statusCode !== 200) return reject(new Error(`The stream is answered ${response.statusCode}.`));
        resolve({ ended: new Promise((done) => response.once('close', () => done(performance.now()))) });
      });
      request.end();
    });
    const socket = await connect(`${cutOff.api.replace('http', 'ws')}/events/out`, { token: key });
    return [stream.ended, socket.ended().then(() => performance.now())];
  };

  const flow = await ask('/flows/', { name: 'scheduled' });
  for (let number = 0; number < DEPLOYMENTS; number++) {
    const schedule = { interval: SECONDS_APART, anchor_date: '2026-01-01T00:00:00Z' };
    await ask('/deployments/', { flow_id: flow.id, name: `d${number}`, schedules: [{ schedule }] });
  }
  await ask('/v2/concurrency_limits/', { name: 'shared', limit: SLOTS });
  const wanted = { names: ['shared'], slots: 1, mode: 'concurrency', lease_duration: 3600 };
  const leases: string[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    leases.push((await ask('/v2/concurrency_limits/increment-with-lease', wanted)).lease_id);
  }

  for (const fault of ['cut off', 'frozen'] as const) {
    const revoked = await newProgram();
    assert.equal(await statusAt(revoked.key), 200);
    const open = await hold(revoked.key);
    const ended = Promise.all(open).then((times) => Math.max(...times));
    if (fault === 'cut off') cable.cut();
    else cutOff.freeze();
    await revoked.suspend();
    await database.query('update concurrency_lease set expires_at = now() where id = any($1)', [
      leases.slice(SLOTS_KEPT),
    ]);
    const away = delay(AWAY_SECONDS * 1000);
    const meanwhile = Array.from({ length: REQUESTS }, async (_, index) => {
      await delay(((index % 8) * AWAY_SECONDS * 1000) / 8);
      return statusAt(revoked.key);
    });
    await away;
    if (fault === 'cut off') cable.mend();
    else cutOff.thaw();
    const mended = performance.now();
    const statuses = await Promise.all(meanwhile);
    await until('the replica works again', async () => (await statusAt(secret)) === 200, 30);
    const worksAfter = (performance.now() - mended) / 1000;
    for (let index = 0; index < REQUESTS; index++) statuses.push(await statusAt(revoked.key));
    const endedAfter = ((await ended) - mended) / 1000;
    const admitted = statuses.filter((status) => status > 0 && status < 400).length;
    const counts = [...new Set(statuses)].map(
      (one) => `${statuses.filter((status) => status === one).length} × ${one}`,
    );
    report({
      test: '25',
      name: `requests of ended access admitted by a replica that was ${fault} for ${AWAY_SECONDS} s`,
      value: `${admitted} of ${statuses.length} (${counts.join(', ')})`,
      limit: '0',
    });
    report({
      test: '25',
      name: `open streams end after a replica was ${fault}`,
      value: `${endedAfter.toFixed(2)} s`,
      limit: `${CHECKED_WITHIN_SECONDS} s`,
    });
    report({ test: '8', name: `a replica that was ${fault} works again`, value: `${worksAfter.toFixed(2)} s` });
    assert.equal(admitted, 0, counts.join(', '));
    assert.ok(endedAfter <= CHECKED_WITHIN_SECONDS, `${endedAfter} s`);
  }

  const { active_slots } = await ask('/v2/concurrency_limits/shared', {}, 'GET');
  const rows = async (query: string) => (await database.query(query)).rows;
  const times = await rows('select count(*)::int as made from flow_run group by created_by, expected_start_time');
  const twice = times.filter(({ made: runs }) => runs > 1);
  const lateTwice = await rows(
    `select flow_run_id from flow_run_state where name = 'Late' group by 1 having count(*) > 1`,
  );
  const gaps = await rows(
    `select deployment_id from (select deployment_id, expected_start_time - lag(expected_start_time) over (partition by deployment_id order by expected_start_time) as apart from flow_run) as run where apart <> interval '${SECONDS_APART} seconds'`,
  );
  report({
    test: '8',
    name: 'runs made twice, late twice, missing (a replica cut off and frozen)',
    value: `${twice.length}, ${lateTwice.length}, ${gaps.length} of ${times.length}`,
    limit: '0, 0, 0',
  });
  report({
    test: '8',
    name: 'slots held by leases that go on',
    value: String(active_slots),
    limit: String(SLOTS_KEPT),
  });
  assert.deepEqual([twice.length, lateTwice.length, gaps.length], [0, 0, 0]);
  assert.equal(active_slots, SLOTS_KEPT);
});
