/** Starts the two servers of a benchmark, each with an empty database or one filled with runs. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../server/test/support/free-port.ts';
import { vacuum } from '../server/test/support/postgres.ts';

export interface Contender {
  readonly url: string;
  readonly pids: readonly number[];
  /** Shell command that restarts the server on the same data. */
  readonly command: string;
  stop(): Promise<void>;
}

const repository = join(import.meta.dirname, '..');
const READY_SECONDS = 120;

/** `program` is `server/dist/main.js` of another checkout, or else the sources of this one. */
export async function startSignalbox(
  folder: string,
  postgresUrl: string | undefined,
  runs = 0,
  program = join(repository, 'server/src/main.js'),
): Promise<Contender> {
  const home = mkdtempSync(join(folder, 'signalbox-'));
  const databaseUrl = postgresUrl ?? `sqlite:${join(home, 'signalbox.db')}`;
  if (runs > 0) {
    execFileSync(process.execPath, [
      join(repository, 'bench/seed.ts'),
      '--database-url',
      databaseUrl,
      '--runs',
      String(runs),
    ]);
    if (postgresUrl) await vacuum(postgresUrl);
  }
  return start([process.execPath, program, 'server', 'start'], (port) => ({
    SIGNALBOX_PORT: String(port),
    SIGNALBOX_HOME: home,
    SIGNALBOX_DATABASE_URL: databaseUrl,
    SIGNALBOX_LOG_LEVEL: 'error',
  }));
}

/** Starts `limit.ts` on an empty database. */
export async function startReadLimit(folder: string, postgresUrl: string | undefined): Promise<Contender> {
  const databaseUrl = postgresUrl ?? `sqlite:${join(mkdtempSync(join(folder, 'limit-')), 'limit.db')}`;
  const program = join(repository, 'bench/limit.ts');
  return start(
    (port) => [process.execPath, program, '--port', String(port), '--database-url', databaseUrl],
    () => ({}),
  );
}

export async function startReference(folder: string, postgresUrl: string | undefined, runs = 0): Promise<Contender> {
  const home = mkdtempSync(join(folder, 'reference-'));
  mkdirSync(home, { recursive: true });
  const python = referencePython();
  const environment = (port: number) => ({
    PREFECT_HOME: home,
    PREFECT_SERVER_API_PORT: String(port),
    PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    PREFECT_SERVER_UI_ENABLED: 'false',
    PREFECT_LOGGING_SERVER_LEVEL: 'WARNING',
    ...(postgresUrl
      ? { PREFECT_API_DATABASE_CONNECTION_URL: postgresUrl.replace('postgres://', 'postgresql+asyncpg://') }
      : {}),
  });
  const command = [python, '-m', 'prefect', 'server', 'start'];
  const server = await start(command, environment);
  if (runs === 0) return server;
  await server.stop();
  const target = postgresUrl ? ['--postgres', postgresUrl] : ['--sqlite', join(home, 'prefect.db')];
  execFileSync(python, [join(repository, 'bench/load/seed/reference_seed.py'), ...target, '--runs', String(runs)]);
  if (postgresUrl) await vacuum(postgresUrl);
  return start(command, environment);
}

/**
 * The least that a server could do and still answer a workload durably: one transaction a write, without rules,
 * validation or events. Durability as ours has it: SQLite with `synchronous=FULL`, PostgreSQL as it is set.
 */
export function startWriteLimit(folder: string, postgresUrl: string | undefined): Promise<Contender> {
  const file = join(mkdtempSync(join(folder, 'limit-')), 'limit.db');
  const database = postgresUrl ? ['pg', '--pg', postgresUrl] : ['sqlite', '--db', file, '--sync', 'FULL'];
  const program = join(repository, 'bench/load/limits/limit.mjs');
  return start(
    (port) => [process.execPath, program, ...database, '--port', String(port)],
    () => ({}),
  );
}

function referencePython(): string {
  const named = process.env['SIGNALBOX_TEST_REFERENCE_PYTHON'];
  const made = join(repository, '.work/prefect-3.9.1/bin/python');
  const python = named ?? made;
  if (!existsSync(python)) {
    throw new Error('The reference server is not installed: "npm run test:reference" makes its virtual environment.');
  }
  return python;
}

async function start(
  commandFor: readonly string[] | ((port: number) => readonly string[]),
  environment: (port: number) => Record<string, string>,
): Promise<Contender> {
  const port = await freePort();
  const command = typeof commandFor === 'function' ? commandFor(port) : commandFor;
  const settings = environment(port);
  const child = spawn(command[0]!, command.slice(1), { stdio: 'ignore', env: { ...process.env, ...settings } });
  const url = `http://127.0.0.1:${port}/api`;
  for (let attempt = 0; ; attempt++) {
    const ready = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) break;
    if (attempt > READY_SECONDS * 10 || child.exitCode !== null) throw new Error(`${command.join(' ')} did not start.`);
    await delay(100);
  }
  const exports = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  return {
    url,
    pids: child.pid === undefined ? [] : [child.pid],
    command: `env ${exports.join(' ')} ${command.join(' ')}`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await Promise.race([ended, delay(15_000)]);
      child.kill('SIGKILL');
    },
  };
}
