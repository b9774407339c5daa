import type { Migration } from './migration.ts';

/**
 * Time at which the owner of a key was last warned that it ends soon. Older servers work with this column, and send no
 * warnings.
 */
const statements = ['alter table api_key add column warned_at {timestamp}'];

export const keyWarnings: Migration = {
  name: '0016-key-warnings',
  readableFrom: '0009-upstream-credentials',
  statements: { sqlite: statements, postgres: statements },
};
