/** Opens the promised number of live streams and websockets in one workspace. Each must report a new run within a second. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { count, FaultServer, p99, report, sendJson } from './harness.ts';

const STREAMS = count(500, 10_000);
const SOCKETS = count(100, 2000);
const RUNS = count(5, 30);
/** As browsers connect again after a restart: more at once overflow the kernel's queue of connections. */
const AT_ONCE = 50;
const LIMIT_MILLISECONDS = 1000;
const LIMIT_MEGABYTES_FOR_1000 = 60;

describe(`${STREAMS} live streams and ${SOCKETS} websockets`, () => {
  let server: FaultServer;
  const requests: ClientRequest[] = [];
  const sockets: WebSocket[] = [];
  /** When each reader was told of a run, by the id of the run. */
  const told = new Map<string, number[]>();

  before(async () => {
    server = await FaultServer.start({
      environment: {
        SIGNALBOX_MAX_CONNECTIONS: '20000',
        SIGNALBOX_MAX_CONNECTIONS_PER_CLIENT: '20000',
        SIGNALBOX_MAX_SOCKETS_PER_WORKSPACE: '20000',
        SIGNALBOX_MAX_SOCKETS_PER_CALLER: '20000',
      },
    });
  });
  after(async () => {
    for (const one of requests) one.destroy();
    for (const one of sockets) one.terminate();
    await server.dispose();
  });

  /** Of one reader, which may be told of a run more than once. */
  const notes = () => {
    const known = new Set<string>();
    return (run: string) => {
      if (known.has(run)) return;
      known.add(run);
      const times = told.get(run);
      if (times) times.push(Date.now());
      else told.set(run, [Date.now()]);
    };
  };

  async function openStream(): Promise<void> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(`${server.api}/views/live`, { agent: false }, resolve).once('error', reject);
      requests.push(asked);
      asked.end();
    });
    assert.equal(answer.statusCode, 200);
    answer.on('error', () => {});
    const note = notes();
    answer.setEncoding('utf8').on('data', (text: string) => {
      for (const [, run = ''] of text.matchAll(/"type":"flow_run","id":"([0-9a-f-]{36})"/g)) note(run);
    });
  }

  async function openSocket(): Promise<void> {
    const socket = new WebSocket(`${server.api.replace('http', 'ws')}/events/out`, 'prefect');
    sockets.push(socket);
    const note = notes();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
      socket.once('open', () => socket.send(JSON.stringify({ type: 'auth', token: null })));
      socket.on('message', (data) => {
        const { type, event } = JSON.parse(String(data)) as {
          type: string;
          event?: { resource: Record<string, string> };
        };
        if (type === 'auth_success') {
          const filter = { event: { name: ['prefect.flow-run.Scheduled'] } };
          socket.send(JSON.stringify({ type: 'filter', filter }), () => resolve());
        }
        if (event) note(event.resource['prefect.resource.id']!.slice('prefect.flow-run.'.length));
      });
    });
    socket.on('error', () => {});
  }

  async function openAll(many: number, open: () => Promise<void>): Promise<void> {
    for (let left = many; left > 0; left -= AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, open));
    }
  }

  test('each is told of every run', async () => {
    const flow = JSON.parse((await sendJson('POST', `${server.api}/flows/`, { name: 'watched' })).text) as {
      id: string;
    };
    const before = server.memoryMegabytes();
    const began = performance.now();
    await openAll(STREAMS, openStream);
    await openAll(SOCKETS, openSocket);
    const opened = (performance.now() - began) / 1000;
    const grown = server.memoryMegabytes() - before;
    const readers = STREAMS + SOCKETS;

    const delays: number[] = [];
    const scheduled = { type: 'SCHEDULED', name: 'Scheduled' };
    for (let made = 0; made < RUNS; made++) {
      const began = Date.now();
      const body = { flow_id: flow.id, state: scheduled };
      const run = JSON.parse((await sendJson('POST', `${server.api}/flow_runs/`, body)).text) as { id: string };
      await until('every reader is told', () => (told.get(run.id)?.length ?? 0) >= readers, 60);
      delays.push(
        ...told
          .get(run.id)!
          .slice(0, readers)
          .map((at) => at - began),
      );
    }
    const slowest = p99(delays);
    report({
      test: '18',
      name: `${STREAMS} live streams and ${SOCKETS} websockets, opened in ${opened.toFixed(0)} s with ${grown.toFixed(0)} MB: ${delays.length} deliveries, p99`,
      value: `${slowest} ms`,
      limit: `${LIMIT_MILLISECONDS} ms`,
    });
    assert.ok(slowest <= LIMIT_MILLISECONDS, `p99 ${slowest} ms`);
    assert.ok(grown <= 50 + (readers / 1000) * LIMIT_MEGABYTES_FOR_1000, `${grown.toFixed(0)} MB`);
  });
});
