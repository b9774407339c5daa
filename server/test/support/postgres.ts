/**
 * A PostgreSQL server for tests: a temporary cluster of the installed PostgreSQL, or a server that the environment
 * names.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** Versions below this one are not used: Signalbox needs PostgreSQL 15. */
const oldestMajorVersion = 15;

export interface TestPostgres {
  /** A superuser's URL of the maintenance database, from which databases can be created. */
  url: string;
  /** Creates a database with a unique name, empty or a copy of the one named, and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Stops the cluster and deletes its files; on a server that the environment names, drops the databases made here. */
  stop(): Promise<void>;
}

export interface StartPostgresOptions {
  /**
   * Keeps fsync, full page writes and synchronous commit on. Off by default: tests that do not cut the power do not
   * need them and would wait for them.
   */
  durable?: boolean;
}

/**
 * Starts a temporary cluster with the newest PostgreSQL (15 or later) found under /usr/lib/postgresql or on the PATH,
 * or uses the server of SIGNALBOX_TEST_POSTGRES_URL. Undefined when there is neither: the caller skips and says so.
 * Throws with the end of its log when an installed PostgreSQL does not start.
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<TestPostgres | undefined> {
  const named = process.env['SIGNALBOX_TEST_POSTGRES_URL'];
  if (named) return useServer(named);
  const programs = findPrograms();
  return programs ? startCluster(programs, options) : undefined;
}

/** The folder with initdb and postgres of the newest suitable version, or undefined. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const packaged = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  const candidates = [...packaged, ...(process.env['PATH'] ?? '').split(delimiter)].filter(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  const versions = candidates
    .map((folder) => ({ folder, major: majorVersion(folder) }))
    .filter(({ major }) => major >= oldestMajorVersion)
    .sort((one, other) => other.major - one.major);
  return versions[0]?.folder;
}

function majorVersion(folder: string): number {
  const answer = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/\(PostgreSQL\) (\d+)/.exec(answer.stdout ?? '')?.[1] ?? 0);
}

/** A cluster that a test may break; no other test uses it. */
export interface OwnPostgres extends TestPostgres {
  /** False once the server process has ended. */
  runs(): boolean;
  /** The process whose children are the server's. */
  pid(): number | undefined;
  /** Ends it at once, as a crash does, and starts it again; resolves when it answers. */
  restartAtOnce(): Promise<void>;
  /** Stops all its processes until `thaw`: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
}

/** A separate durable cluster, in `folder` where that is given. Undefined when no PostgreSQL is installed. */
export async function startOwnPostgres(folder?: string): Promise<OwnPostgres | undefined> {
  const programs = findPrograms();
  return programs ? startCluster(programs, { durable: true }, folder) : undefined;
}

async function startCluster(
  programs: string,
  options: StartPostgresOptions,
  parent: string = tmpdir(),
): Promise<OwnPostgres> {
  const account = unprivilegedAccount();
  const folder = await mkdtemp(join(parent, 'signalbox-postgres-'));
  if (account) await chown(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const environment = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TZ: 'UTC' };

  const initdb = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { encoding: 'utf8', cwd: folder, env: environment, ...account },
  );
  if (initdb.status !== 0) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`initdb failed: ${initdb.error?.message ?? initdb.stderr}`);
  }

  const port = await freePort();
  const logFile = join(folder, 'postgres.log');
  const log = openSync(logFile, 'w');
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  const launch = () =>
    spawn(
      join(programs, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: folder, env: environment, stdio: ['ignore', log, log], ...account },
    );
  const endOf = (child: ChildProcess) => new Promise<void>((resolve) => child.once('close', () => resolve()));
  let postmaster = launch();
  let exited = endOf(postmaster);
  // A test process that ends without `stop` must not leave a cluster behind.
  const stopWithProcess = () => {
    postmaster.kill('SIGQUIT');
    // No asynchronous work can run any more, so it sleeps and polls: PostgreSQL removes this file as it exits.
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    for (let pause = 0; pause < 100 && existsSync(join(data, 'postmaster.pid')); pause += 1) {
      Atomics.wait(sleeper, 0, 0, 20);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', stopWithProcess);

  async function stop(): Promise<void> {
    process.off('exit', stopWithProcess);
    // SIGINT is PostgreSQL's fast shutdown: it ends the sessions that are still open.
    if (postmaster.exitCode === null && postmaster.signalCode === null) postmaster.kill('SIGINT');
    await exited;
    closeSync(log);
    await rm(folder, { recursive: true, force: true });
  }

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const isAlive = () => postmaster.exitCode === null && postmaster.signalCode === null;
  async function restartAtOnce(): Promise<void> {
    // SIGQUIT is PostgreSQL's immediate shutdown: sessions get no warning, and the next start recovers from the log.
    postmaster.kill('SIGQUIT');
    await exited;
    postmaster = launch();
    exited = endOf(postmaster);
    await waitUntilReady(url, isAlive);
  }
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT') => {
    const parent = postmaster.pid ?? 0;
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const pid of [parent, ...children.map(Number)]) process.kill(pid, signal);
  };
  try {
    await waitUntilReady(url, isAlive);
  } catch (cause) {
    const lines = readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`PostgreSQL did not start:\n${lines}`, { cause });
  }
  return {
    url,
    createDatabase: (template) => createDatabase(url, template),
    stop,
    runs: isAlive,
    pid: () => postmaster.pid,
    restartAtOnce,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  };
}

/** PostgreSQL refuses to run as root, so root starts it as the user `postgres`. Undefined for every other user. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres');
  if (!entry) throw new Error('root cannot run PostgreSQL, and there is no user named postgres to run it');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

async function useServer(url: string): Promise<TestPostgres> {
  const created: string[] = [];
  return {
    url,
    async createDatabase(template) {
      const database = await createDatabase(url, template);
      created.push(new URL(database).pathname.slice(1));
      return database;
    },
    async stop() {
      await withConnection(url, async (client) => {
        for (const name of created) await client.query(`drop database if exists ${name} with (force)`);
      });
    },
  };
}

/**
 * Does what autovacuum does within minutes. Before that, no query is answered from an index alone, so a measurement
 * would depend on the time of autovacuum.
 */
export async function vacuum(url: string): Promise<void> {
  await withConnection(url, (client) => client.query('vacuum (analyze)'));
}

async function createDatabase(url: string, template = 'template1'): Promise<string> {
  const name = `signalbox_test_${randomBytes(6).toString('hex')}`;
  await withConnection(url, (client) => client.query(`create database ${name} template ${template}`));
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

async function withConnection(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function waitUntilReady(url: string, alive: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await withConnection(url, (client) => client.query('select 1'));
    } catch (cause) {
      if (!alive() || Date.now() > deadline) throw cause;
      await delay(50);
    }
  }
}
