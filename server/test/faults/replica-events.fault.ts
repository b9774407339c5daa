/**
 * Several servers on one PostgreSQL are one to those who listen: each event that any server has stored arrives at live streams
 * of every server, once, while servers are killed and the connections over which they hear each other are cut.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { startOwnPostgres } from '../support/postgres.ts';
import { connect, type SocketClient } from '../support/socket-client.ts';
import { until } from '../support/until.ts';
import { count, FaultServer, report, sendJson } from './harness.ts';

const EVENTS = count(6000, 100_000);
const BATCH = 20;
/** A cut after so many batches, and a kill after as many again. */
const CUT_EVERY = count(25, 100);
const KILL_EVERY = count(100, 1000);

/** Live events by id, with the time at which each arrived. */
function gather(client: SocketClient): { arrived: Map<string, number>; twice: () => number } {
  const arrived = new Map<string, number>();
  let twice = 0;
  client.socket.on('message', (data) => {
    const { event } = JSON.parse(data.toString());
    if (event === undefined) return;
    if (arrived.has(event.id)) twice += 1;
    arrived.set(event.id, performance.now());
  });
  return { arrived, twice: () => twice };
}

const p95 = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)];

test('events stored at any of three servers arrive at live streams of the others, each once', async (t) => {
  const postgres = await startOwnPostgres();
  if (!postgres) return t.skip('no PostgreSQL is installed');
  const databaseUrl = await postgres.createDatabase();
  const environment = { SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const servers: FaultServer[] = [];
  const control = new pg.Client(databaseUrl);
  try {
    for (let index = 0; index < 3; index++) servers.push(await FaultServer.start({ environment, databaseUrl }));
    await control.connect();
    const [first, second, killed] = servers as [FaultServer, FaultServer, FaultServer];
    const listen = async (server: FaultServer) => {
      const client = await connect(`${server.api.replace('http', 'ws')}/events/out`);
      client.send({ type: 'filter', filter: { event: { prefix: ['fault.'] } } });
      await client.ping();
      return gather(client);
    };
    const streams = [await listen(first), await listen(second)];
    const sent = new Map<string, { readonly at: number; readonly server: FaultServer }>();
    const stored: string[] = [];
    /** The events from before the first cut. */
    let undisturbed: readonly string[] = [];
    let kills = 0;
    let cuts = 0;
    let restarting: Promise<void> | undefined;
    for (let batch = 0; batch * BATCH < EVENTS; batch++) {
      const server = servers[batch % 3]!;
      const ids = Array.from({ length: BATCH }, () => randomUUID());
      const at = performance.now();
      for (const id of ids) sent.set(id, { at, server });
      const occurred = new Date().toISOString();
      const events = ids.map((id) => ({
        ...{ id, occurred, event: 'fault.event', resource: { 'prefect.resource.id': 'test.a' } },
      }));
      const answer = await sendJson('POST', `${server.api}/events`, events).catch(() => undefined);
      if (answer?.status === 204) stored.push(...ids);
      else assert.equal(server, killed, `${answer?.status} ${answer?.text}`);
      if (batch % CUT_EVERY === CUT_EVERY - 1) {
        if (cuts === 0) undisturbed = [...stored];
        const { rowCount } = await control.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and query ~ 'from announcement|pg_notify|pg_current_snapshot'`,
        );
        cuts += rowCount ?? 0;
      }
      if (batch % KILL_EVERY === KILL_EVERY - 1 && restarting === undefined) {
        kills += 1;
        await killed.end('SIGKILL');
        restarting = killed.start().finally(() => {
          restarting = undefined;
        });
      }
    }
    await restarting;
    for (const { arrived } of streams) {
      await until('all stored events at each stream', () => stored.every((id) => arrived.has(id)), 60);
    }
    for (const { arrived, twice } of streams) {
      assert.equal(twice(), 0, 'an event arrived twice');
      assert.ok([...arrived.keys()].every((id) => sent.has(id)));
    }
    const delays = (stream: (typeof streams)[number], ids: readonly string[]) =>
      ids.filter((id) => sent.get(id)?.server === first).map((id) => stream.arrived.get(id)! - sent.get(id)!.at);
    const told = (ids: readonly string[]) => {
      const [here, there] = streams.map((stream) => p95(delays(stream, ids))?.toFixed(0));
      return `p95 ${here} ms at the server that stored them, ${there} ms at another`;
    };
    report({
      test: '54',
      name: `${stored.length} events at three servers, ${cuts} cut connections, ${kills} kills`,
      value: `each once; ${told(undisturbed)} before the first cut, and over all ${told(stored)}`,
    });
  } finally {
    await control.end().catch(() => {});
    await Promise.all(servers.map((server) => server.dispose()));
    await postgres.stop();
  }
});
