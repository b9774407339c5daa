/**
 * Kills the server with SIGKILL while writers are at work, starts it again, and reads everything it had acknowledged:
 * runs, their last states, log lines, variables and events.
 *
 *   npm run test:durability -- --database sqlite --trials 20
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    trials: { type: 'string', default: '5' },
    writers: { type: 'string', default: '16' },
  },
});
const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.js');
const READY_SECONDS = 30;

/** What the server acknowledged. */
interface Acknowledged {
  /** State type by run. A transition without an answer may or may not be stored, so it is left out. */
  readonly states: Map<string, string>;
  readonly uncertain: Set<string>;
  readonly logs: Map<string, number>;
  readonly variables: Set<string>;
}

let failures = 0;
const home = await mkdtemp(join(tmpdir(), 'signalbox-durability-'));
const postgres = options.database === 'postgres' ? await startPostgres({ durable: true }) : undefined;
if (options.database === 'postgres' && !postgres) {
  console.log('PostgreSQL 15 or newer is not installed here: nothing was tried.\n0 passed, 0 failed, 1 skipped');
  process.exit(0);
}
const databaseUrl = postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`;
const port = await freePort();
const api = `http://127.0.0.1:${port}/api`;
const everything: Acknowledged = { states: new Map(), uncertain: new Set(), logs: new Map(), variables: new Set() };

for (let trial = 1; trial <= Number(options.trials); trial++) {
  const server = await start();
  const flow = (await send('POST', '/flows/', { name: 'durability' })) as { id: string };
  const stop = new AbortController();
  const writers = Array.from({ length: Number(options.writers) }, (_, index) =>
    write(flow.id, `${trial}-${index}`, stop.signal),
  );
  await delay(200 + Math.random() * 1300);
  server.kill('SIGKILL');
  stop.abort();
  await Promise.all(writers);
  const again = await start();
  const lost = await findLost(everything);
  failures += lost.length > 0 ? 1 : 0;
  console.log(
    `trial ${trial}: ${everything.states.size} runs, ${everything.variables.size} variables acknowledged so far, ${lost.length} lost${lost.length ? `: ${lost.slice(0, 3).join('; ')}` : ''}`,
  );
  again.kill('SIGKILL');
  await new Promise((resolve) => again.once('exit', resolve));
}
await postgres?.stop();
await rm(home, { recursive: true, force: true });
console.log(`${Number(options.trials) - failures} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

async function start(): Promise<ChildProcess> {
  const server = spawn(process.execPath, [main, 'server', 'start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SIGNALBOX_PORT: String(port), SIGNALBOX_HOME: home, SIGNALBOX_DATABASE_URL: databaseUrl },
  });
  for (let attempt = 0; attempt < READY_SECONDS * 20; attempt++) {
    const ready = await fetch(`${api}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return server;
    await delay(50);
  }
  throw new Error('The server did not start again.');
}

/** Throws when the connection breaks: the request may or may not have been processed. */
async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(api + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function write(flow_id: string, name: string, stopped: AbortSignal): Promise<void> {
  for (let count = 0; !stopped.aborted; count++) {
    try {
      const { id } = (await send('POST', '/flow_runs/', { flow_id, tags: ['durable'] })) as { id: string };
      everything.states.set(id, 'PENDING');
      for (const type of ['RUNNING', 'COMPLETED']) {
        everything.uncertain.add(id);
        await send('POST', `/flow_runs/${id}/set_state`, { state: { type } });
        everything.states.set(id, type);
        everything.uncertain.delete(id);
      }
      const line = {
        name: 'durability',
        level: 20,
        message: name,
        timestamp: new Date().toISOString(),
        flow_run_id: id,
      };
      await send('POST', '/logs/', [line, line, line]);
      everything.logs.set(id, 3);
      const variable = `v${name}-${count}`;
      await send('POST', '/variables/', { name: variable, value: count });
      everything.variables.add(variable);
    } catch {
      if (!stopped.aborted) await delay(5);
    }
  }
}

async function findLost(acknowledged: Acknowledged): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, type] of acknowledged.states) {
    const run = (await send('GET', `/flow_runs/${id}`).catch(() => undefined)) as
      | { state_type?: string; state?: { type: string } }
      | undefined;
    if (!run) lost.push(`run ${id}`);
    else if (run.state?.type !== run.state_type)
      lost.push(`run ${id} is in ${run.state_type}, its state says ${run.state?.type}`);
    else if (!acknowledged.uncertain.has(id) && run.state_type !== type)
      lost.push(`run ${id} is ${run.state_type}, not ${type}`);
  }
  for (const [id, count] of acknowledged.logs) {
    const lines = (await send('POST', '/logs/filter', { logs: { flow_run_id: { any_: [id] } } })) as unknown[];
    if (lines.length !== count) lost.push(`${count - lines.length} log lines of run ${id}`);
  }
  for (const name of acknowledged.variables) {
    if (!(await send('GET', `/variables/name/${name}`).catch(() => undefined))) lost.push(`variable ${name}`);
  }
  return lost;
}
