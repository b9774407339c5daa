import { migrate } from './migrate.ts';
import type { PostgresStore } from './postgres-store.ts';
import type { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/**
 * Opens the database behind `url` (`sqlite:<file>` or `postgres://…`) and brings its schema and statistics up to date.
 * `migrating` is told of each change of a database that was in use before: one may take minutes where there are many rows.
 */
export async function openStore(url: string, migrating: (migration: string) => void = () => {}): Promise<Store> {
  const store = await connect(url);
  await migrate(store.raw, store.dialect, migrating);
  await store.refreshStatistics();
  return store;
}

/** Loads the driver of the one database only. */
async function connect(url: string): Promise<SqliteStore | PostgresStore> {
  if (/^postgres(ql)?:\/\//.test(url)) return new (await import('./postgres-store.ts')).PostgresStore(url);
  const file = /^sqlite:(?:\/\/\/)?(.+)$/.exec(url)?.[1];
  if (file) return new (await import('./sqlite-store.ts')).SqliteStore(file);
  throw new Error(`SIGNALBOX_DATABASE_URL must start with sqlite: or postgres://, but is ${url.split(':')[0]}:…`);
}
