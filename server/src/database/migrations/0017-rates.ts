import type { Migration } from './migration.ts';

const created = `create table rate (
    key {text} primary key,
    server_id {uuid},
    taken {json},
    full_until {integer} not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`;

/**
 * One table for what is counted over time: attempts of people, and the minutes of quotas. Older servers beside this one
 * go on counting in `attempt` and `mcp_quota`, which a later migration removes.
 */
export const rates: Migration = {
  name: '0017-rates',
  readableFrom: '0009-upstream-credentials',
  statements: [
    created,
    'create index ix_rate_full_until on rate (full_until)',
    'create index ix_rate_server on rate (server_id)',
    'insert into rate (key, full_until) select key, full_until from attempt',
  ],
};
