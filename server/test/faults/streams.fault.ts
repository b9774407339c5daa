/**
 * Many live streams at once, some with readers that have stopped reading: events arrive in time, a stopped reader costs
 * little and is disconnected, and its memory is freed afterwards.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { count, FaultServer, p99, report } from './harness.ts';

const READERS = count(400, 4000);
const SLOW_READERS = count(50, 500);
const SECONDS = count(6, 60);
const EVENTS_A_SECOND = 10;
/** Payload for the slow readers: within seconds they get more than the kernel buffers for a connection. */
const BULK = 'x'.repeat(150_000);

interface Reader {
  readonly socket: WebSocket;
  received: number;
}

describe(`${READERS} live streams, and ${SLOW_READERS} readers that stop reading`, () => {
  let server: FaultServer;
  before(async () => {
    const environment = { SIGNALBOX_MAX_SOCKETS_PER_CALLER: '10000', SIGNALBOX_MAX_CONNECTIONS_PER_CLIENT: '16384' };
    server = await FaultServer.start({ environment });
  });
  after(() => server.dispose());

  async function listen(prefix: string, onEvent: (sent: number) => void): Promise<Reader> {
    const socket = new WebSocket(`${server.api.replace('http', 'ws')}/events/out`, 'prefect');
    const reader: Reader = { socket, received: 0 };
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
      socket.once('open', () => socket.send(JSON.stringify({ type: 'auth', token: null })));
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as { type: string; event?: { payload: { sent?: number } } };
        if (message.type === 'auth_success') {
          const filter = { event: { prefix: [prefix] } };
          socket.send(JSON.stringify({ type: 'filter', filter }), () => resolve());
        }
        if (message.type !== 'event' || message.event?.payload.sent === undefined) return;
        reader.received++;
        onEvent(message.event.payload.sent);
      });
    });
    socket.on('error', () => {});
    return reader;
  }

  const open = async (many: number, prefix: string, onEvent: (sent: number) => void): Promise<Reader[]> => {
    const readers: Reader[] = [];
    // Signs in one after the other, 20 at a time, as clients reconnect after a restart.
    while (readers.length < many) {
      const next = Math.min(20, many - readers.length);
      readers.push(...(await Promise.all(Array.from({ length: next }, () => listen(prefix, onEvent)))));
    }
    return readers;
  };

  async function send(id: number, name: string, text: string): Promise<void> {
    const event = {
      occurred: new Date().toISOString(),
      event: name,
      resource: { 'prefect.resource.id': 'fault.clock' },
      payload: { sent: Date.now(), text },
      id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    };
    const answer = await fetch(`${server.api}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  }

  test('events arrive within a second, and the slow readers cost little', async () => {
    const delays: number[] = [];
    const readers = await open(READERS, 'tick.', (sent) => delays.push(Date.now() - sent));
    const slow = await open(SLOW_READERS, 'bulk.', () => {});
    for (const { socket } of slow) socket.pause();
    // Memory in use before the first event is not a reader's cost.
    await delay(500);
    const memoryBefore = server.memoryMegabytes();
    let sent = 0;
    for (; sent < SECONDS * EVENTS_A_SECOND; sent++) {
      await send(2 * sent, 'tick.one', 'small');
      await send(2 * sent + 1, 'bulk.one', BULK);
      await delay(1000 / EVENTS_A_SECOND);
    }
    await until('every event', () => readers.every(({ received }) => received === sent), 20);
    const grown = server.memoryMegabytes() - memoryBefore;
    // A reader that resumes finds the end of the stream, not the events that it missed.
    for (const { socket } of slow) socket.resume();
    await until(
      'the slow readers are disconnected',
      () => slow.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
      20,
    );
    assert.ok(slow.every(({ received }) => received < sent));
    const slowest = p99(delays);
    report({
      test: '18',
      name: `${READERS} streams: delivery, p99 of ${delays.length}`,
      value: `${slowest} ms`,
      limit: '1000 ms',
    });
    report({
      test: '19',
      name: `memory for ${sent} events of 150 kB to each of ${SLOW_READERS} readers that stopped`,
      value: `${grown.toFixed(0)} MB`,
    });
    assert.ok(slowest <= 1000, `p99 ${slowest} ms`);
    // 256 kB each, the buffers of the kernel, and the garbage of a busy server.
    assert.ok(grown < SLOW_READERS * 0.5 + 120, `${grown.toFixed(0)} MB`);
    for (const { socket } of [...readers, ...slow]) socket.terminate();
    assert.ok(server.running);
    assert.equal((await fetch(`${server.api}/health`)).status, 200);
  });
});
