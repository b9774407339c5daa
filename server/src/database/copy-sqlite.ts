/** Copies of an SQLite database, while a server writes to it. */
import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../errors.ts';
import { listTables } from './check-database.ts';
import type { Rows } from './copies.ts';

/** More pages than a database has: the copy is made in one step, so writers in the meantime do not start it anew. */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies the database as it is at one moment. The file alone is not enough: the newest writes are in its log. */
export async function copySqlite(file: string, to: string): Promise<Rows> {
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  chmodSync(to, 0o600);
  return checkedRows(to);
}

/** Puts a copy in the place of a database that is not there. Throws ConfigError when there is one. */
export async function placeSqlite(copy: string, file: string): Promise<Rows> {
  if (existsSync(file)) {
    throw new ConfigError(
      `There is a database ${file} already. Move it away, or name another home folder with --home.`,
    );
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.restoring`;
  try {
    await copyFile(copy, part);
    chmodSync(part, 0o600);
    const rows = checkedRows(part);
    renameSync(part, file);
    return rows;
  } finally {
    await rm(part, { force: true });
  }
}

/** The rows of each table. Throws when the file is damaged. */
function checkedRows(file: string): Rows {
  const database = new DatabaseSync(file);
  try {
    // A copy of a database with a write-ahead log would leave two more files beside it.
    database.exec('pragma journal_mode = delete');
    const problems = database.prepare('pragma quick_check').all();
    const [first] = problems;
    if (problems.length !== 1 || first?.['quick_check'] !== 'ok') throw new Error(`${file} is damaged.`);
    const tables = database.prepare(`${listTables.sqlite} order by name`).all();
    const names = tables.map(({ name }) => String(name));
    const count = (name: string) =>
      Number(database.prepare(`select count(*) as count from "${name}"`).get()?.['count'] ?? 0);
    return Object.fromEntries(names.map((name) => [name, count(name)]));
  } finally {
    database.close();
  }
}
