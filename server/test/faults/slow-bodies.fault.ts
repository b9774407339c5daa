/** Clients that send slowly or not at all: their connections end in time, and others do not notice. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { headOf, RawConnection } from '../support/raw-connection.ts';
import { count, FaultServer, report, watchDelay } from './harness.ts';

const BODY_TIMEOUT_SECONDS = 5;
const UPGRADE = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13 };
const SOCKET = { ...UPGRADE, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol': 'prefect' };
/** Fewer than the connections that wait to be accepted. */
const AT_ONCE = 250;
const DRIBBLE_MILLISECONDS = 500;
/** No connection may be open after this long. */
const PATIENCE_MILLISECONDS = 16_000;
const LIMIT_P99_MILLISECONDS = 250;

interface SlowClient {
  readonly name: string;
  readonly count: number;
  readonly first: string;
  /** Sent every half second until the connection ends. */
  readonly drip: string;
  readonly withinSeconds: number;
}

const body = { 'Content-Length': 1_000_000, 'Content-Type': 'application/json' };
/** Deadlines are checked every half second; the rest is the machine's delay. */
const SLACK_SECONDS = 1;

const clients: readonly SlowClient[] = [
  {
    name: 'dribbled headers',
    count: count(200, 2500),
    first: 'POST /api/flows/ HTTP/1.1\r\nHost: localhost\r\n',
    drip: 'X-A: b\r\n',
    withinSeconds: 10,
  },
  {
    name: 'a request line letter by letter',
    count: count(50, 500),
    first: 'GET /api/fl',
    drip: 'o',
    withinSeconds: 10,
  },
  { name: 'idle connections', count: count(200, 2500), first: '', drip: '', withinSeconds: 10 },
  {
    name: 'half an upgrade',
    count: count(50, 500),
    first: headOf('GET', '/api/events/in', UPGRADE).slice(0, -2),
    drip: 'X-A: b\r\n',
    withinSeconds: 10,
  },
  // The sign-in has 10 seconds, and the answer to the close frame 2 more.
  {
    name: 'websockets without a first frame',
    count: count(50, 450),
    first: headOf('GET', '/api/events/in', SOCKET),
    drip: '',
    withinSeconds: 13,
  },
  // 408 on time, and the end of the connection 5 seconds after that.
  {
    name: 'dribbled bodies',
    count: count(100, 1000),
    first: headOf('POST', '/api/flows/', body),
    drip: 'x',
    withinSeconds: BODY_TIMEOUT_SECONDS + 6,
  },
  {
    name: 'dribbled chunks',
    count: count(100, 1000),
    first: headOf('POST', '/api/flows/', { 'Transfer-Encoding': 'chunked' }),
    drip: '1\r\nx\r\n',
    withinSeconds: BODY_TIMEOUT_SECONDS + 6,
  },
];

describe('slow clients', () => {
  let server: FaultServer;
  before(async () => {
    const environment = {
      SIGNALBOX_BODY_TIMEOUT_SECONDS: String(BODY_TIMEOUT_SECONDS),
      SIGNALBOX_MAX_CONNECTIONS_PER_CLIENT: '16384',
    };
    server = await FaultServer.start({ environment });
  });
  after(() => server.dispose());

  test('are closed in time, and others are served as before', async () => {
    const url = `${server.api}/version`;
    const calm = watchDelay(url);
    await delay(3000);
    const baseline = await calm.stop();
    const handles = server.openHandles();
    const watch = watchDelay(url);
    const groups = clients.map((client) => ({ client, connections: [] as RawConnection[] }));
    for (const { client, connections } of groups) {
      while (connections.length < client.count) {
        const one = new RawConnection(server.port);
        one.write(client.first);
        connections.push(one);
        // The system drops connections beyond those that wait to be accepted, and the server never sees those.
        if (connections.length % AT_ONCE === 0) await Promise.all(connections.slice(-AT_ONCE).map((it) => it.opened()));
      }
    }
    const all = groups.flatMap(({ connections }) => connections);
    const dribble = setInterval(() => {
      for (const { client, connections } of groups) {
        if (client.drip !== '') for (const one of connections) one.write(client.drip);
      }
    }, DRIBBLE_MILLISECONDS);
    await Promise.all(all.map((one) => one.ended(PATIENCE_MILLISECONDS)));
    clearInterval(dribble);
    const { p99Milliseconds, statuses } = await watch.stop();
    const slowest = groups.map(({ client, connections }) => ({
      client,
      seconds: Math.max(...connections.map((one) => one.closedAfter ?? Number.POSITIVE_INFINITY)) / 1000,
    }));
    for (const one of all) one.destroy();
    for (const { client, seconds } of slowest) {
      report({
        test: '20',
        name: `${client.count} × ${client.name}: the last is closed after`,
        value: `${seconds.toFixed(1)} s`,
        limit: `${client.withinSeconds} s`,
      });
    }
    report({
      test: '20',
      name: `wait of others (p99) beside ${all.length} slow clients`,
      value: `${p99Milliseconds.toFixed(0)} ms, ${baseline.p99Milliseconds.toFixed(0)} ms without them`,
      limit: `twice, or ${LIMIT_P99_MILLISECONDS} ms`,
    });
    let left = server.openHandles() - handles;
    for (let turn = 0; turn < 100 && left > 5; turn += 1) {
      await delay(50);
      left = server.openHandles() - handles;
    }
    report({ test: '20', name: 'file handles left of slow clients', value: String(Math.max(0, left)), limit: '5' });
    for (const { client, seconds } of slowest) {
      assert.ok(seconds <= client.withinSeconds + SLACK_SECONDS, `${client.name}: ${seconds} s`);
    }
    assert.deepEqual([...statuses.keys()], [200]);
    assert.ok(
      p99Milliseconds <= Math.max(LIMIT_P99_MILLISECONDS, 2 * baseline.p99Milliseconds),
      `${p99Milliseconds} ms`,
    );
    // The pool of the watching client may hold a connection or two more than before.
    assert.ok(left <= 5, `${left} file handles are left`);
  });
});
