/** Checks that the database is usable and complete, and that the keys decrypt its secrets. Changes nothing. */

import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { migrations } from '../../database/migrations/index.ts';
import { nameOfDatabase, openProblem } from '../../database/open-problem.ts';
import { checkFile, checkTables } from '../../database/opening/check-database.ts';
import { sqliteFileOf } from '../../settings/database-url.ts';
import { processesOf } from '../../supervision/process-count.ts';
import { databaseConnectionsOfAll } from '../../supervision/shares-text.ts';
import { counted } from '../../values/counted.ts';
import { type Finding, sizeText } from './finding.ts';

/** A larger database is not read completely. */
const CHECKED_BYTES = 2_000_000_000;
const MUCH_FREE_BYTES = 200_000_000;
const MUCH_FREE_SHARE = 0.25;
const LARGE_LOG_BYTES = 1_000_000_000;
const OLDEST_POSTGRES = 150_000;
const CONNECT_MILLISECONDS = 5000;
const FAST_MILLISECONDS = 20;
const TRIES = 5;
const CLOCK_SECONDS = 5;

const subject = 'database';

export async function examineDatabase(config: Config): Promise<Finding[]> {
  const file = sqliteFileOf(config.databaseUrl);
  try {
    return file === undefined ? await examinePostgres(config) : await examineFile(config.databaseUrl, file);
  } catch (error) {
    const told = openProblem(config.databaseUrl, error);
    const says = told instanceof Error ? told.message : String(told);
    return [{ subject, state: 'problem', says, cure: 'The server does not start until this is corrected.' }];
  }
}

async function examineFile(url: string, file: string): Promise<Finding[]> {
  if ((await checkFile(url, file)) === 'nothing') {
    return [{ subject, state: 'warning', says: `${file} does not exist yet.`, cure: 'The first start creates it.' }];
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: CONNECT_MILLISECONDS });
  try {
    const number = (pragma: string) => Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0] ?? 0);
    const bytes = number('page_count') * number('page_size');
    const free = number('freelist_count') * number('page_size');
    const applied = database
      .prepare('select name from migration')
      .all()
      .map(({ name }) => String(name));
    const findings = [schemaFinding(applied)];
    if (bytes <= CHECKED_BYTES) {
      const found = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0];
      if (found !== 'ok') {
        return [{ subject, state: 'problem', says: `${file} is damaged: ${found}`, cure: 'Restore a backup.' }];
      }
    }
    const log = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0;
    if (log > LARGE_LOG_BYTES) {
      const says = `The write-ahead log of ${file} takes ${sizeText(log)}, because a program has been reading the database for a long time.`;
      findings.push({
        subject,
        state: 'warning',
        says,
        cure: 'End other programs that read the file, or restart the server.',
      });
    }
    if (free > MUCH_FREE_BYTES && free > bytes * MUCH_FREE_SHARE && number('auto_vacuum') === 0) {
      const says = `${sizeText(free)} of the ${sizeText(bytes)} of ${file} are unused.`;
      findings.push({ subject, state: 'warning', says, cure: 'Stop the server and run "signalbox db vacuum".' });
    }
    return [{ subject, state: 'ok', says: `${file} is intact and has ${sizeText(bytes)}.` }, ...findings];
  } finally {
    database.close();
  }
}

async function examinePostgres(config: Config): Promise<Finding[]> {
  const { databaseUrl } = config;
  const { Client } = await import('pg');
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  try {
    const execute = async (sql: string) => (await client.query(sql)).rows as Record<string, unknown>[];
    const name = nameOfDatabase(databaseUrl);
    if ((await checkTables(databaseUrl, { execute }, 'postgres')) === 'nothing') {
      return [{ subject, state: 'warning', says: `${name} is empty.`, cure: 'The first start creates its tables.' }];
    }
    const milliseconds = await fastest(() => execute('select 1'));
    const asked = Date.now();
    const [facts = {}] = await execute(`select current_setting('server_version_num')::int as version,
      current_setting('max_connections')::int as connections,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now, pg_database_size(current_database())::float8 as bytes`);
    const skew = Math.abs(Number(facts['now']) - asked - milliseconds / 2) / 1000;
    const processes = processesOf(config);
    const needed = databaseConnectionsOfAll(config, processes);
    const applied = (await execute('select name from migration')).map((row) => String(row['name']));
    const findings = [schemaFinding(applied)];
    if (Number(facts['version']) < OLDEST_POSTGRES) {
      findings.push({ subject, state: 'problem', says: `${name} is older than PostgreSQL 15.`, cure: 'Upgrade it.' });
    }
    if (needed > Number(facts['connections'])) {
      const says = `One server uses up to ${needed} connections${processes === 1 ? '' : ` in ${counted(processes, 'process', 'processes')}`}, and PostgreSQL allows ${facts['connections']} in all.`;
      const cure =
        processes === 1
          ? 'Lower SIGNALBOX_DATABASE_CONNECTIONS, or raise max_connections.'
          : 'Lower SIGNALBOX_PROCESSES or SIGNALBOX_DATABASE_CONNECTIONS, or raise max_connections.';
      findings.push({ subject, state: 'problem', says, cure });
    }
    if (milliseconds > FAST_MILLISECONDS) {
      const says = `A query takes ${Math.round(milliseconds)} ms on PostgreSQL, and a request makes several.`;
      findings.push({ subject: 'latency', state: 'warning', says, cure: 'Put the server near its database.' });
    }
    if (skew > CLOCK_SECONDS) {
      const says = `The clocks of this machine and of PostgreSQL differ by ${Math.round(skew)} s.`;
      findings.push({ subject: 'clock', state: 'warning', says, cure: 'Set both by NTP.' });
    }
    return [
      { subject, state: 'ok', says: `${name} answers and has ${sizeText(Number(facts['bytes']))}.` },
      ...findings,
    ];
  } finally {
    await client.end();
  }
}

/** Milliseconds of the fastest of several attempts. */
async function fastest(ask: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TRIES; time += 1) {
    const began = performance.now();
    await ask();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

function schemaFinding(applied: readonly string[]): Finding {
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  if (pending.length === 0) return { subject: 'schema', state: 'ok', says: 'The tables are those of this version.' };
  const says = `The next start changes the tables (${counted(pending.length, 'migration')}).`;
  return { subject: 'schema', state: 'warning', says, cure: 'Make a backup before you start this version.' };
}
