import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/**
 * Keys may expire or be replaced by another, and an organization may limit the age of the keys that it accepts. Older
 * servers work with these columns, but ignore the ends of keys while they run beside the new version.
 */
const columns = [
  'alter table api_key add column expires_at {timestamp}',
  'alter table api_key add column replaced_by {uuid}',
  'alter table organization add column max_key_age_days {integer}',
];

const watched = [
  { table: 'api_key', columns: ['revoked_at', 'expires_at'] },
  { table: 'organization', columns: ['slug', 'max_key_age_days'] },
];
const triggers = watched.flatMap(({ table }) =>
  ['changed', 'ended'].map((what) => ({ table, name: `${table}_access_${what}` })),
);

export const keyExpiry: Migration = {
  name: '0015-key-expiry',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [
      ...columns,
      ...triggers.map(({ name }) => `drop trigger ${name}`),
      ...watched.flatMap(countsAccessChanges.sqlite),
    ],
    postgres: [
      ...columns,
      ...triggers.map(({ name, table }) => `drop trigger ${name} on ${table}`),
      ...watched.flatMap(countsAccessChanges.postgres),
    ],
  },
};
