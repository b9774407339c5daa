import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/** A session that ends also ends the streams that it opened. */
const watched = { table: 'session', columns: ['expires_at'] };

export const endedSessions: Migration = {
  name: '0008-ended-sessions',
  readableFrom: '0007-remix',
  statements: { sqlite: countsAccessChanges.sqlite(watched), postgres: countsAccessChanges.postgres(watched) },
};
