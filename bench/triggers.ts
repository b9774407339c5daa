/**
 * Measures the cost of automations, and checks that each event fires exactly once: sends events at a steady rate to
 * many automations; one event in twenty fires. Midway, the script kills the server (kill -9) and restarts it; senders
 * repeat each event that was not confirmed. Prints events per second, the CPU of the server, and the numbers of missing
 * and duplicate firings.
 *
 *   node bench/triggers.ts --database sqlite --seconds 20 --rate 1000 --automations 50
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../server/test/support/free-port.ts';
import { startPostgres } from '../server/test/support/postgres.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '1000' },
    automations: { type: 'string', default: '50' },
    'no-kill': { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const rate = Number(values.rate);
const automations = Number(values.automations);
const BATCH = 50;
/** One event in this many fires. */
const FIRES_EVERY = 20;
const TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'signalbox-triggers-'));
const postgres = values.database === 'postgres' ? await startPostgres({ durable: true }) : undefined;
const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(folder, 'signalbox.db')}`;
const port = await freePort();
const url = `http://127.0.0.1:${port}/api`;

let cpuOfDead = 0;
let server = await start();
await automate();
const beforeLoad = cpuOf(server);
const expected = new Set<string>();
const begun = performance.now();
const sent = await load();
const elapsed = (performance.now() - begun) / 1000;
const { fired, doubled, drained } = await collect();
const cpu = cpuOfDead + cpuOf(server) - beforeLoad;
console.log(
  JSON.stringify({
    database: values.database,
    automations,
    killed: !values['no-kill'],
    events: sent,
    events_per_second: Math.round(sent / elapsed),
    server_cpu_ms_per_event: Number((cpu / sent).toFixed(3)),
    firings_expected: expected.size,
    firings_missing: [...expected].filter((id) => !fired.has(id)).length,
    firings_doubled: doubled,
    seconds_from_last_event_to_last_firing: Number(drained.toFixed(2)),
  }),
);
server.kill('SIGKILL');
await postgres?.stop();
rmSync(folder, { recursive: true, force: true });

async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../server/src/main.js'), 'server', 'start'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      SIGNALBOX_PORT: String(port),
      SIGNALBOX_HOME: folder,
      SIGNALBOX_DATABASE_URL: databaseUrl,
      SIGNALBOX_LOG_LEVEL: 'error',
    },
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error('The server did not start.');
    const isReady = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return child;
    await delay(50);
  }
}

/** Most automations check every event's labels and count it without ever firing; the others fire by name. */
async function automate(): Promise<void> {
  for (let index = 0; index < automations; index++) {
    const fires = index % 2 === 0;
    const trigger = fires
      ? { posture: 'Reactive', expect: [`bench.fire.${index}`] }
      : {
          posture: index % 4 === 1 ? 'Reactive' : 'Proactive',
          expect: ['bench.*'],
          match: { 'prefect.resource.id': 'bench.resource.*', shop: [`shop-${index % 10}`, '!*'] },
          for_each: ['prefect.resource.id'],
          threshold: index % 4 === 1 ? 1_000_000 : 1,
          within: 3600,
        };
    await must('POST', '/automations/', {
      name: `bench ${index}`,
      trigger: { type: 'event', ...trigger },
      actions: [{ type: 'do-nothing' }],
    });
  }
}

async function load(): Promise<number> {
  const total = Math.floor((seconds * rate) / BATCH);
  const kill = values['no-kill'] ? -1 : Math.floor(total / 2);
  let restarted: Promise<void> | undefined;
  const pending: Promise<void>[] = [];
  for (let batch = 0; batch < total; batch++) {
    if (batch === kill) restarted = restart();
    const wait = begun + (batch * BATCH * 1000) / rate - performance.now();
    if (wait > 0) await delay(wait);
    pending.push(sendUntilKept(Array.from({ length: BATCH }, (_, index) => makeEvent(batch * BATCH + index))));
  }
  await Promise.all([...pending, restarted]);
  return total * BATCH;
}

async function restart(): Promise<void> {
  cpuOfDead = cpuOf(server);
  server.kill('SIGKILL');
  server = await start();
}

function makeEvent(number: number) {
  const id = randomUUID();
  const fires = number % FIRES_EVERY === 0;
  if (fires) expected.add(id);
  const target = ((number / FIRES_EVERY) % Math.ceil(automations / 2)) * 2;
  return {
    id,
    occurred: new Date().toISOString(),
    event: fires ? `bench.fire.${target}` : `bench.quiet.${number % 7}`,
    resource: { 'prefect.resource.id': `bench.resource.${number % 100}`, shop: `shop-${number % 10}` },
    related: [{ 'prefect.resource.id': 'bench.flow', 'prefect.resource.role': 'flow' }],
    payload: { number, text: 'x'.repeat(200) },
  };
}

async function sendUntilKept(events: readonly object[]): Promise<void> {
  for (;;) {
    const isKept = await fetch(`${url}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(events),
    }).then(
      ({ status }) => status === 204,
      () => false,
    );
    if (isKept) return;
    await delay(100);
  }
}

/** Waits until no firing arrived for five seconds, then reads all firings. */
async function collect(): Promise<{ fired: ReadonlySet<string>; doubled: number; drained: number }> {
  const filter = { event: { name: ['prefect.automation.triggered'] }, order: 'ASC' };
  const ended = performance.now();
  let count = -1;
  let changed = ended;
  for (;;) {
    const { total } = await must('POST', '/events/filter', { filter, limit: 0 });
    if (total !== count) changed = performance.now();
    count = total;
    if (count >= expected.size ? performance.now() - changed > 5000 : performance.now() - changed > 20_000) break;
    await delay(50);
  }
  const fired = new Set<string>();
  let doubled = 0;
  for (let page = await must('POST', '/events/filter', { filter }); ; ) {
    for (const { payload } of page.events) {
      const id = payload.triggering_event?.id ?? '';
      if (fired.has(id)) doubled++;
      fired.add(id);
    }
    if (!page.next_page) break;
    page = await (await fetch(page.next_page)).json();
  }
  return { fired, doubled, drained: (changed - ended) / 1000 };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API are loose JSON here
async function must(method: string, path: string, body: object): Promise<any> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Milliseconds of CPU that a process has used. */
function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}
