/** Copies an SQLite database while a server writes to it. */
import { chmodSync, closeSync, existsSync, fdatasyncSync, openSync, renameSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../errors.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { listTables } from '../opening/check-database.ts';
import { namedFiles } from '../opening/named-files.ts';
import { pauseAfter } from '../pace.ts';
import type { Copy, Rows } from './copy.ts';

/** Pages of a step: 2 MB with pages of 4 kB. */
const STEP_PAGES = 512;

/**
 * Copies the database in its state at one moment. Copying the file is not enough, because the newest writes are in its
 * log. The copy is made in small steps, each flushed to the disk before the next: written at once, it would fill the
 * queue of the disk and delay the commits of the server.
 */
export async function copySqlite(file: string, to: string): Promise<Rows> {
  const source = new DatabaseSync(file, { readOnly: true });
  closeSync(openSync(to, 'wx', 0o600));
  const written = openSync(to, 'r+');
  try {
    // Keeps one state: without a transaction, each write of the server between two steps would restart the copy.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    let began = performance.now();
    const progress = () => {
      fdatasyncSync(written);
      pause(pauseAfter(performance.now() - began));
      began = performance.now();
    };
    await backup(source, to, { rate: STEP_PAGES, progress });
  } finally {
    closeSync(written);
    source.close();
  }
  chmodSync(to, 0o600);
  return checkedRows(to);
}

/** The files of the home folder to which a copy of the server's database refers. */
export function filesNamedIn(copy: string): Omit<Copy, 'rows'> {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const all = <T>(query: string) => database.prepare(query).all() as T[];
    return { builds: all(namedFiles.builds), uploads: all(namedFiles.uploads) };
  } finally {
    database.close();
  }
}

/** Blocks, because the next step begins when `progress` returns. A backup has a process of its own. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export function checkNoFile(file: string): void {
  if (!existsSync(file)) return;
  throw new ConfigError(`The database ${file} already exists. Move it away, or name another home folder with --home.`);
}

/** Puts a copy in place of a missing database. Throws ConfigError when there is a database. */
export async function placeSqlite(copy: string, file: string): Promise<Rows> {
  checkNoFile(file);
  makeFolder(dirname(file));
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

/** The number of rows of each table. Throws when the file is damaged. */
function checkedRows(file: string): Rows {
  const database = new DatabaseSync(file);
  try {
    // A copy with a write-ahead log would leave two more files beside it.
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
