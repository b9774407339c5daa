/**
 * One viewer opens many websockets, reads none of them, and asks for the stored past on others: another tenant, and another
 * member of the same workspace, do not notice, and the memory of the server comes back.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { limitHere } from '../support/machine.ts';
import { count, report, sendJson, watchDelay, watchMemory } from './harness.ts';
import { addNoisyViewer, startTwoTenants, type TwoTenants } from './two-tenants.ts';

const SOCKETS = count(300, 1000);
const LARGE_EVENTS = 6;
const LARGE_BYTES = 400_000;
const PASTS = 100;
const PAST_EVENTS = count(4000, 20_000);
const AT_ONCE = 50;
const LIMIT_MILLISECONDS = 250;
const LIMIT_TURN_MILLISECONDS = 100;
const LIMIT_MEGABYTES = 150;

describe('the websockets of one viewer', () => {
  let tenants: TwoTenants;
  /** The address of the workspace that the viewer looks at. */
  let noisy: string;
  let viewer: Readonly<Record<string, string>>;
  const sockets: WebSocket[] = [];
  before(async () => {
    tenants = await startTwoTenants(0);
    ({ api: noisy, viewer } = await addNoisyViewer(tenants));
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await tenants.dispose();
  });

  async function open(backfill: boolean): Promise<WebSocket> {
    const socket = new WebSocket(`${noisy.replace('http', 'ws')}/events/out`, { headers: viewer });
    sockets.push(socket);
    await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', resolve);
    });
    socket.on('error', () => {});
    socket.send(JSON.stringify({ type: 'filter', filter: {}, backfill }));
    return socket;
  }

  async function openAll(many: number, backfill: boolean): Promise<WebSocket[]> {
    const opened: WebSocket[] = [];
    while (opened.length < many) {
      const next = Math.min(AT_ONCE, many - opened.length);
      opened.push(...(await Promise.all(Array.from({ length: next }, () => open(backfill)))));
    }
    return opened;
  }

  const event = (text: string) => ({
    occurred: new Date().toISOString(),
    event: 'noisy.event',
    resource: { 'prefect.resource.id': 'noisy' },
    payload: { text },
    id: crypto.randomUUID(),
  });

  const post = async (events: readonly object[]) => {
    const answer = await sendJson('POST', `${noisy}/events`, events, { ...tenants.headers });
    assert.equal(answer.status, 204, answer.text);
  };

  test(`${SOCKETS} that do not read, and ${LARGE_EVENTS} large events`, async () => {
    const { server } = tenants;
    for (let asked = 0; asked < 1000; asked++) await (await fetch(`${server.api}/health`)).arrayBuffer();
    const opened = await openAll(SOCKETS, false);
    for (const socket of opened) socket.pause();
    await delay(1000);
    await server.longestTurn();
    const memory = watchMemory(server);
    const before = server.memoryMegabytes();
    const watch = tenants.watch();
    await delay(1000);
    for (let sent = 0; sent < LARGE_EVENTS; sent++) await post([event('x'.repeat(LARGE_BYTES))]);
    await delay(5000);
    const { longestMilliseconds, statuses } = await watch.stop();
    const turn = await server.longestTurn();
    const most = memory.stop();
    await delay(5000);
    const left = server.memoryMegabytes() - before;
    for (const socket of opened) socket.terminate();
    const name = `${SOCKETS} websockets of a viewer that do not read, ${LARGE_EVENTS} events of ${LARGE_BYTES / 1000} kB`;
    const longest = limitHere(longestMilliseconds, LIMIT_MILLISECONDS);
    const value = `${longestMilliseconds.toFixed(0)} ms`;
    report({ test: '19', name: `${name}: longest wait of another tenant`, value, limit: `${longest.toFixed(0)} ms` });
    report({ test: '19', name: `${name}: longest turn of the event loop`, value: `${turn.toFixed(0)} ms` });
    report({
      test: '19',
      name: `${name}: memory at most, and 10 s later`,
      value: `${most.toFixed(0)} MB, ${left.toFixed(0)} MB`,
      limit: `${LIMIT_MEGABYTES} MB`,
    });
    assert.deepEqual([...statuses.keys()], [200]);
    assert.ok(longestMilliseconds <= longest, `a wait of ${value}`);
    assert.ok(turn <= limitHere(turn, LIMIT_TURN_MILLISECONDS), `a turn of ${turn.toFixed(0)} ms`);
    assert.ok(most <= LIMIT_MEGABYTES, `${most.toFixed(0)} MB`);
  });

  test(`${PASTS} that ask for ${PAST_EVENTS} stored events each`, async () => {
    const { server, headers } = tenants;
    for (let sent = 0; sent < PAST_EVENTS; sent += 500) {
      await post(Array.from({ length: 500 }, () => event('x'.repeat(1000))));
    }
    await server.longestTurn();
    const filter = { filter: {}, limit: 50 };
    const read = () => sendJson('POST', `${noisy}/events/filter`, filter, headers);
    await read();
    const other = tenants.watch();
    const same = watchDelay(`${noisy}/flows/${crypto.randomUUID()}`, { ...headers });
    const waits: number[] = [];
    const opened = await openAll(PASTS, true);
    const closed = new Map<number, number>();
    for (const socket of opened) {
      socket.on('message', () => {});
      socket.once('close', (code) => closed.set(code, (closed.get(code) ?? 0) + 1));
    }
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      const began = performance.now();
      const { status } = await read();
      assert.equal(status, 200);
      waits.push(performance.now() - began);
    }
    const turn = await server.longestTurn();
    const { longestMilliseconds } = await other.stop();
    await same.stop();
    const longest = Math.max(...waits);
    for (const socket of opened) socket.terminate();
    const name = `${PASTS} websockets of a viewer that ask for ${PAST_EVENTS} stored events each`;
    const limit = `${limitHere(longest, LIMIT_MILLISECONDS).toFixed(0)} ms`;
    report({ test: '19', name: `${name}: longest read of another member`, value: `${longest.toFixed(0)} ms`, limit });
    const value = `${longestMilliseconds.toFixed(0)} ms`;
    report({ test: '19', name: `${name}: longest wait of another tenant`, value, limit });
    report({ test: '19', name: `${name}: longest turn of the event loop`, value: `${turn.toFixed(0)} ms` });
    const of = [...closed].map(([code, times]) => `${times} × ${code}`).join(', ');
    assert.ok(!closed.has(1011), of);
    assert.ok(longest <= limitHere(longest, 4 * LIMIT_MILLISECONDS), `a read of ${longest.toFixed(0)} ms; ${of}`);
  });
});
