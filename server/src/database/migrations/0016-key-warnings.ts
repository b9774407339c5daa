import type { Migration } from './migration.ts';

/** When the owner of a key was told last that it ends soon. Older servers go on working with it, and mail nobody. */
const statements = ['alter table api_key add column warned_at {timestamp}'];

export const keyWarnings: Migration = {
  name: '0016-key-warnings',
  readableFrom: '0009-upstream-credentials',
  statements: { sqlite: statements, postgres: statements },
};
