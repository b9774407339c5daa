/** Copies a PostgreSQL database with PostgreSQL's own tools, while servers write to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ConfigError } from '../../errors.ts';
import { listTables } from '../opening/check-database.ts';
import { namedFiles } from '../opening/named-files.ts';
import { pauseAfter } from '../pace.ts';
import type { Copy, Rows } from './copy.ts';

/** Bytes of a dump that are flushed to the disk together. */
const STEP_BYTES = 2 * 1024 * 1024;

/** Writes the database in its state at one moment. Throws ConfigError if `pg_dump` is missing or fails. */
export function dumpPostgres(url: string, to: string): Promise<Copy> {
  return connected(url, async (client) => {
    await client.query('begin transaction isolation level repeatable read, read only');
    const [{ snapshot }] = (await client.query('select pg_export_snapshot() as snapshot')).rows;
    const words = ['--format=custom', '--no-owner', '--no-acl', `--snapshot=${snapshot}`];
    await run('pg_dump', url, words, { take: (output) => writeInSteps(output, to) });
    // Counted after the dump and not in parallel, because both read every table.
    const rows = await rowsOf(client);
    const { rows: builds } = await client.query(namedFiles.builds);
    const { rows: uploads } = await client.query(namedFiles.uploads);
    return { rows, builds, uploads };
  });
}

export function checkNoTables(url: string): Promise<void> {
  return connected(url, (client) => checkEmpty(client, url));
}

async function checkEmpty(client: Client, url: string): Promise<void> {
  if ((await tablesOf(client)).length === 0) return;
  throw new ConfigError(`The database ${nameOf(url)} already has tables. Name an empty one with --database-url.`);
}

/** Fills an empty database. Throws ConfigError when it has tables, or if `pg_restore` is missing or fails. */
export function fillPostgres(dump: string, url: string): Promise<Rows> {
  return connected(url, async (client) => {
    await checkEmpty(client, url);
    const words = ['--no-owner', '--no-acl', '--exit-on-error', '--single-transaction'];
    // The dump passes through this process: if it is killed, `pg_restore` sees the end of its input and restores
    // nothing.
    await run('pg_restore', url, words, { give: (input) => pipeline(createReadStream(dump), input) });
    return rowsOf(client);
  });
}

/** Writes in steps. `pg_dump` waits during each, and stops reading the database. */
async function writeInSteps(output: Readable, to: string): Promise<void> {
  const file = await open(to, 'wx', 0o600);
  try {
    let step = 0;
    let began = performance.now();
    for await (const bytes of output as AsyncIterable<Buffer>) {
      await file.write(bytes);
      step += bytes.length;
      if (step < STEP_BYTES) continue;
      await file.datasync();
      await delay(pauseAfter(performance.now() - began));
      step = 0;
      began = performance.now();
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query(`${listTables.postgres} order by name`);
  return rows.map(({ name }) => name);
}

/** Leaves the processors to the server: PostgreSQL would count a large table with several processes. */
async function rowsOf(client: Client): Promise<Rows> {
  const counts: Record<string, number> = {};
  await client.query('set max_parallel_workers_per_gather = 0');
  for (const name of await tablesOf(client)) {
    const began = performance.now();
    const { rows } = await client.query(`select count(*)::float8 as count from ${client.escapeIdentifier(name)}`);
    counts[name] = rows[0].count;
    await delay(pauseAfter(performance.now() - began));
  }
  return counts;
}

/** Parameters of an address that the tools read from an environment variable. */
const VARIABLES: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
};

interface Streams {
  /** Receives the output of the program. */
  readonly take?: (output: Readable) => Promise<void>;
  /** Writes the input of the program. */
  readonly give?: (input: Writable) => Promise<void>;
}

/** Runs a program with the address in its environment, because other users can see a program's arguments. */
async function run(program: string, url: string, words: readonly string[], { take, give }: Streams): Promise<void> {
  const { host, port, user, password } = new Client({ connectionString: url });
  const parameters = new URL(url).searchParams;
  const given = {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user ?? '',
    PGPASSWORD: password ?? '',
    PGDATABASE: nameOf(url),
    ...Object.fromEntries(Object.entries(VARIABLES).map(([name, variable]) => [variable, parameters.get(name) ?? ''])),
  };
  const target = program === 'pg_restore' ? [`--dbname=${nameOf(url)}`] : [];
  const environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const child = spawn(program, [...target, ...words], {
    env: { ...process.env, ...environment },
    stdio: [give ? 'pipe' : 'ignore', take ? 'pipe' : 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (data) => {
    said = `${said}${data}`.slice(0, 2000);
  });
  const ended = once(child, 'close');
  // A program that ends early, or whose input ends early, reports the reason itself.
  if (child.stdin) give?.(child.stdin).catch(() => {});
  // If its output cannot be written, the program has nothing left to do.
  const taken =
    child.stdout &&
    take?.(child.stdout).catch((error: unknown) => {
      child.kill();
      throw error;
    });
  const [[code]] = await Promise.all([ended, taken]).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' && error.syscall?.startsWith('spawn')
      ? new ConfigError(`${program} is not installed. It comes with the client programs of PostgreSQL.`)
      : error;
  });
  if (code !== 0) throw new ConfigError(`${program} failed: ${said.trim()}`);
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
