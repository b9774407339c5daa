import type { Migration } from './migration.ts';

/**
 * On PostgreSQL, several processes tell each other what they have committed. New events and logs have the number of
 * their transaction and the process that stored them; `announcement` has messages about everything else. Rows from
 * before, and rows of older servers, have neither: no other process learns of them.
 */
const followed = (table: string) => [
  `alter table ${table} add column txid xid8`,
  `alter table ${table} add column origin text`,
  `alter table ${table} alter column txid set default pg_current_xact_id()`,
  `alter table ${table} alter column origin set default current_setting('signalbox.origin', true)`,
];

export const announcements: Migration = {
  name: '0019-announcements',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: [],
    postgres: [
      ...followed('event'),
      ...followed('log'),
      `create table announcement (
        txid xid8 not null default pg_current_xact_id(),
        created timestamptz not null default now(),
        origin text not null,
        topic text not null,
        subject jsonb,
        what jsonb
      )`,
      'create index ix_announcement_txid on announcement (txid)',
      'create index ix_announcement_created on announcement (created)',
    ],
  },
  lateIndexes: [
    { name: 'ix_event_txid', on: 'event (txid) where origin is not null', only: 'postgres' },
    { name: 'ix_log_txid', on: 'log (txid) where origin is not null', only: 'postgres' },
  ],
};
