import type { Migration } from './migration.ts';

/**
 * On PostgreSQL, events, logs and records of requests are divided by time: see `database/partitions.ts`. Older servers
 * go on until the tables of their database are divided, which waits for their end.
 */
export const partitions: Migration = {
  name: '0022-partitions',
  readableFrom: '0009-upstream-credentials',
  statements: { sqlite: [], postgres: [] },
  dividesTables: true,
};
