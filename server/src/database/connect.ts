import { migrate } from './migrate.ts';
import { PostgresStore } from './postgres-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** Opens the database behind `url` (`sqlite:<file>` or `postgres://…`) and brings its schema and statistics up to date. */
export async function openStore(url: string): Promise<Store> {
  const store = connect(url);
  await migrate(store.raw, store.dialect);
  await store.refreshStatistics();
  return store;
}

function connect(url: string): SqliteStore | PostgresStore {
  if (/^postgres(ql)?:\/\//.test(url)) return new PostgresStore(url);
  const file = /^sqlite:(?:\/\/\/)?(.+)$/.exec(url)?.[1];
  if (file) return new SqliteStore(file);
  throw new Error(`SIGNALBOX_DATABASE_URL must start with sqlite: or postgres://, but is ${url.split(':')[0]}:…`);
}
