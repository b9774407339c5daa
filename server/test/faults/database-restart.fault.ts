/**
 * PostgreSQL crashes and stalls under load: the server stays up, answers 503 meanwhile, and loses no acknowledged
 * write.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/values/id.ts';
import { clientEvent } from '../support/events.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts';
import { connect, type SocketClient } from '../support/socket-client.ts';
import { Clients, told } from './clients.ts';
import { count, FaultServer, report } from './harness.ts';

const NORMAL_SECONDS = 5;

describe('a PostgreSQL that fails under load', () => {
  let postgres: OwnPostgres | undefined;
  let server: FaultServer;
  let socket: SocketClient;
  let clients: Clients;
  let pid: number;
  const sent: string[] = [];

  const send = () => {
    const event = clientEvent();
    sent.push(event.id);
    socket.send(event);
  };
  const post = async (path: string, body: object) => {
    const answer = await fetch(server.api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
    return (await answer.json()) as any;
  };

  before(async () => {
    postgres = await startOwnPostgres();
    if (!postgres) return;
    server = await FaultServer.start({ databaseUrl: await postgres.createDatabase() });
    pid = server.pid;
    socket = await connect(`${server.api.replace('http', 'ws')}/events/in`);
    clients = new Clients(server.api);
    await clients.allSucceed();
  });
  after(async () => {
    await clients?.stop();
    socket?.close();
    await server?.dispose();
    await postgres?.stop();
  });

  test('repeated restarts: the server stays up and recovers within seconds', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const restarts = count(3, 20);
    let longest = 0;
    let survived = 0;
    for (let restart = 0; restart < restarts; restart++) {
      send();
      await delay(100 + Math.random() * 400);
      await postgres.restartAtOnce();
      longest = Math.max(longest, await clients.allSucceed());
      if (server.running && server.pid === pid) survived++;
    }
    report({ test: '3', name: 'database restarts survived', value: `${survived} of ${restarts}`, limit: 'all' });
    report({
      test: '3',
      name: 'until every client writes again',
      value: `${longest.toFixed(2)} s`,
      limit: `${NORMAL_SECONDS} s`,
    });
    assert.equal(survived, restarts, server.output);
    assert.ok(longest <= NORMAL_SECONDS, `${longest} s`);
  });

  test('a stall of five seconds: the server recovers within seconds', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    postgres.freeze();
    send();
    const health = await fetch(`${server.api}/health`, { signal: AbortSignal.timeout(1000) });
    assert.equal(health.status, 200);
    const ready = await fetch(`${server.api}/ready`, { signal: AbortSignal.timeout(4000) });
    assert.equal(ready.status, 503);
    await delay(5000);
    postgres.thaw();
    const seconds = await clients.allSucceed();
    report({
      test: '3',
      name: 'after a stall of 5 s, until every client writes again',
      value: `${seconds.toFixed(2)} s`,
      limit: `${NORMAL_SECONDS} s`,
    });
    assert.ok(seconds <= NORMAL_SECONDS, `${seconds} s`);
  });

  test('no acknowledged write is lost, and every refusal is a 503', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    await clients.stop();
    const lost = await clients.lost();
    const statuses = [...clients.reads.keys(), ...clients.writes.keys()];
    report({
      test: '3',
      name: 'acknowledged writes lost',
      value: `${lost.length} of ${clients.acknowledged.length}`,
      limit: '0',
    });
    report({
      test: '3',
      name: 'answers',
      value: `reads ${told(clients.reads)}; writes ${told(clients.writes)}`,
      limit: 'no failure but 503',
    });
    assert.deepEqual(lost, []);
    assert.deepEqual(
      statuses.filter((status) => ![200, 201, 404, 503].includes(status)),
      [],
    );
    assert.deepEqual(clients.withoutRetryAfter, []);
    assert.ok(clients.writes.has(503), 'the outage was noticed');
  });

  test('the socket stays open, and its messages during the outage are stored', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    send();
    await socket.ping();
    const occurred = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' };
    const { events } = await post('/events/filter', { filter: { id: { id: sent }, occurred }, limit: 50 });
    assert.deepEqual(new Set(events.map(({ id }: { id: string }) => id)), new Set(sent));
  });

  test('services work again: a due run is marked late', async (t) => {
    if (!postgres) return t.skip('no PostgreSQL is installed');
    const flow = await post('/flows/', { name: newId() });
    const due = new Date(Date.now() - 60_000).toISOString();
    const { id } = await post('/flow_runs/', {
      flow_id: flow.id,
      state: { type: 'SCHEDULED', state_details: { scheduled_time: due } },
    });
    const deadline = Date.now() + 20_000;
    for (;;) {
      const answer = await fetch(`${server.api}/flow_runs/${id}`);
      const { state_name } = (await answer.json()) as { state_name: string };
      if (state_name === 'Late') break;
      assert.ok(Date.now() < deadline, `it is ${state_name}`);
      await delay(200);
    }
  });
});
