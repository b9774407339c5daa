/**
 * Databases with the newest schema, made once for a run and copied by each server of the tests: to migrate takes longer
 * than most tests. Without them a server migrates its own database.
 */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/database/opening/connect.ts';
import { makePartitions } from '../../src/services/old-rows/partitions.ts';
import { systemClock } from '../../src/values/time.ts';
import type { TestPostgres } from './postgres.ts';

const SQLITE_FILE = 'SIGNALBOX_TEST_SQLITE_TEMPLATE';
const POSTGRES_NAME = 'SIGNALBOX_TEST_POSTGRES_TEMPLATE';

/** Makes them, the SQLite one in `folder`, and returns the variables that lead test files to them. */
export async function makeTemplates(folder: string, postgres: TestPostgres | undefined): Promise<NodeJS.ProcessEnv> {
  const file = join(folder, 'template.db');
  await migrate(`sqlite:${file}`);
  if (!postgres) return { [SQLITE_FILE]: file };
  const url = await postgres.createDatabase();
  await migrate(url);
  return { [SQLITE_FILE]: file, [POSTGRES_NAME]: new URL(url).pathname.slice(1) };
}

/** The URL of a new database in `folder`. */
export async function newSqlite(folder: string): Promise<string> {
  const file = join(folder, 'signalbox.db');
  const template = process.env[SQLITE_FILE];
  if (template) await copyFile(template, file, constants.COPYFILE_FICLONE);
  return `sqlite:${file}`;
}

/** The URL of a new database on the server. */
export function newPostgres(postgres: TestPostgres): Promise<string> {
  return postgres.createDatabase(process.env[POSTGRES_NAME]);
}

async function migrate(url: string): Promise<void> {
  const store = await openStore(url);
  await makePartitions({ config: readConfig({}, {}), store }, systemClock.now());
  await store.close();
}
