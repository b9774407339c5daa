/**
 * Makes a backup of a large database while the workload W1 runs, and restores it elsewhere.
 *
 *   node bench/backup.ts --runs 330000 --seconds 90 [--database postgres] [--times 10]
 *
 * Prints one line of JSON: the size of the database, the seconds of each backup, how long requests of the load took before
 * it and with each, and how many tables of a restored database differ from the one that was backed up.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startSignalbox } from './contenders.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '330000' },
    seconds: { type: 'string', default: '90' },
    database: { type: 'string', default: 'sqlite' },
    times: { type: 'string', default: '1' },
  },
});
const PROGRAM = join(import.meta.dirname, '../server/src/main.js');
const LOAD = join(import.meta.dirname, 'load/loadlab.mjs');
const folder = await mkdtemp(join(tmpdir(), 'signalbox-backup-'));
const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
if (values.database === 'postgres' && !postgres) throw new Error('PostgreSQL 15 or newer is not installed here.');
const server = await startSignalbox(folder, await postgres?.createDatabase(), Number(values.runs));
const environment = Object.fromEntries(
  Array.from(server.command.matchAll(/(SIGNALBOX_\w+)='([^']*)'/g), ([, name = '', value = '']) => [name, value]),
);
const { SIGNALBOX_DATABASE_URL: url = '' } = environment;
try {
  const bytes = await sizeOf(url);
  const alone = await load(15);
  const backups: object[] = [];
  for (let time = 1; time <= Number(values.times); time++) {
    const under = load(Number(values.seconds));
    const began = performance.now();
    await run(environment, 'backup', '--folder', join(folder, `under-load-${time}`));
    const seconds = (performance.now() - began) / 1000;
    backups.push({ seconds, ...(await under) });
  }
  await server.stop();
  await run(environment, 'backup', '--folder', join(folder, 'at-rest'), '--with-key');
  const place = {
    SIGNALBOX_HOME: join(folder, 'restored'),
    SIGNALBOX_DATABASE_URL: (await postgres?.createDatabase()) ?? `sqlite:${join(folder, 'restored', 'signalbox.db')}`,
  };
  await run(place, 'restore', '--folder', join(folder, 'at-rest'));
  const differences = differing(contentsOf(url), contentsOf(place.SIGNALBOX_DATABASE_URL));
  const megabytes = Math.round(bytes / 1e6);
  console.log(JSON.stringify({ database: values.database, megabytes, alone, backups, differences }));
} finally {
  await server.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** How long requests of the load took, in milliseconds. */
async function load(seconds: number): Promise<object> {
  const out = join(folder, `load-${seconds}.json`);
  const words = ['w1', '--url', server.url, '--clients', '8', '--duration', String(seconds), '--out', out, '--quiet'];
  await finished(spawn(process.execPath, [LOAD, ...words], { stdio: ['ignore', 'ignore', 'inherit'] }));
  const { n, p50, p99, max } = JSON.parse(await readFile(out, 'utf8')).runs[0].latency_ms;
  return { n, p50, p99, max };
}

function run(given: Record<string, string>, ...words: string[]): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', ...given };
  return finished(spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] }));
}

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${child.spawnargs.slice(1, 4).join(' ')} ended with ${code}.`);
}

async function sizeOf(databaseUrl: string): Promise<number> {
  if (databaseUrl.startsWith('sqlite:')) return (await stat(databaseUrl.slice('sqlite:'.length))).size;
  return Number(psql(databaseUrl, 'select pg_database_size(current_database())'));
}

/** A digest of the rows of each table, in whatever order they come. */
function contentsOf(databaseUrl: string): Map<string, string> {
  if (!databaseUrl.startsWith('sqlite:')) {
    const tables = psql(databaseUrl, `select tablename from pg_tables where schemaname = 'public'`).split('\n');
    const digest = (table: string) =>
      `select count(*) || ' ' || sum(hashtextextended(t::text, 0)::numeric) from "${table}" t`;
    return new Map(tables.map((table) => [table, psql(databaseUrl, digest(table))]));
  }
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  const contents = tables.map(({ name }): [string, string] => {
    let sum = 0n;
    let count = 0;
    for (const row of database.prepare(`select * from "${name}"`).iterate()) {
      const digest = createHash('md5')
        .update(JSON.stringify(Object.values(row)))
        .digest();
      sum = (sum + digest.readBigUInt64BE()) & 0xffff_ffff_ffff_ffffn;
      count += 1;
    }
    return [String(name), `${count} ${sum}`];
  });
  database.close();
  return new Map(contents);
}

function differing(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): string[] {
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => left.get(name) !== right.get(name));
}

function psql(databaseUrl: string, text: string): string {
  return execFileSync('psql', ['-At', '-c', text, databaseUrl], { encoding: 'utf8' }).trim();
}
