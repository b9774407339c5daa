import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/**
 * Everything that processes keep about access is counted, and a transaction on PostgreSQL learns that it has changed
 * access: its answer then waits until no process uses the facts from before. The changes of older servers do not wait.
 */
const watched = [
  { table: 'user_account', columns: ['state', 'email'] },
  { table: 'service_account', columns: ['state', 'role', 'name'] },
  { table: 'membership', columns: ['role'], inserts: true },
  {
    table: 'mcp_server',
    columns: [
      ...['policy_version', 'default_role', 'visibility', 'authentication', 'slug', 'organization_id', 'name'],
      ...['limits', 'denied_as', 'personal_credential', 'connection_version', 'manifest_version'],
    ],
  },
];
const triggers = watched.flatMap(({ table }) =>
  ['changed', 'ended'].map((what) => ({ table, name: `${table}_access_${what}` })),
);

export const accessFacts: Migration = {
  name: '0018-access-facts',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [...triggers.map(({ name }) => `drop trigger ${name}`), ...watched.flatMap(countsAccessChanges.sqlite)],
    postgres: [
      `create or replace function count_access_change() returns trigger language plpgsql as $count$
      begin
        if coalesce(current_setting('signalbox.access_counted', true), '') <> txid_current()::text then
          update access_version set version = version + 1;
          perform set_config('signalbox.access_counted', txid_current()::text, true);
          raise info 'signalbox: access has changed';
        end if;
        return null;
      end $count$`,
      ...triggers.map(({ name, table }) => `drop trigger ${name} on ${table}`),
      ...watched.flatMap(countsAccessChanges.postgres),
    ],
  },
};
