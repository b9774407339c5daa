/**
 * Starts several servers of this clone on a database of their own, for measurements that must not touch anything else.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../server/test/support/free-port.ts';
import { startPostgres } from '../server/test/support/postgres.ts';

const PROGRAM = join(import.meta.dirname, '../server/src/main.js');
const START_SECONDS = 60;

export interface Replicas {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** Key of an administrator of the organization `default`. */
  readonly key: string;
  stop(): Promise<void>;
}

/** Throws when PostgreSQL is not installed or a server does not answer in time. SQLite allows one server. */
export async function startReplicas(count: number, database: string): Promise<Replicas> {
  if (database === 'sqlite' && count > 1) throw new Error('Several servers need --database postgres.');
  const home = await mkdtemp(join(tmpdir(), 'signalbox-replicas-'));
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  if (database === 'postgres' && !postgres) throw new Error('PostgreSQL 15 or newer is not installed here.');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    SIGNALBOX_HOME: home,
    // The MCP servers behind the gateway run on this machine.
    SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
    SIGNALBOX_DATABASE_URL: postgres ? await postgres.createDatabase() : `sqlite:${join(home, 'signalbox.db')}`,
    SIGNALBOX_API_AUTH: 'key',
  };
  const run = (...argv: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...argv], { env: environment });
    if (status !== 0) throw new Error(String(stderr));
    return String(stdout).trim();
  };
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  const servers = ports.map((port) =>
    spawn(process.execPath, [PROGRAM, 'server', 'start', '--port', String(port)], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const stop = async () => {
    await Promise.all(
      servers.map(async (server) => {
        if (server.exitCode !== null) return;
        server.kill('SIGTERM');
        await once(server, 'exit');
      }),
    );
    await postgres?.stop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await Promise.all(urls.map(untilReady));
    // A command does not open a database that no server has created.
    const email = 'ada@example.com';
    run('users', 'create', '--email', email, '--organization', 'default', '--role', 'admin');
    const key = run('keys', 'create', '--user', email, '--descriptor', 'measurement');
    return { urls, pids: servers.map(({ pid }) => pid ?? 0), key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilReady(url: string): Promise<void> {
  for (let waited = 0; waited < START_SECONDS * 10; waited++) {
    const answer = await fetch(`${url}/api/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(100);
  }
  throw new Error(`${url} did not answer within ${START_SECONDS} seconds.`);
}
