import type { Migration } from '../migrate.ts';

/**
 * What is deleted together with many rows is hidden at once and removed in pieces: a flow is marked, and a workspace is
 * given to an organization that nobody belongs to.
 */
export const removals: Migration = {
  name: '0110-removals',
  statements: [
    'alter table flow add column removed {timestamp}',
    'create index ix_flow_removed on flow (workspace, removed) where removed is not null',
    `insert into organization (id, created, updated, name, slug) values ('ffffffff-ffff-ffff-ffff-ffffffffffff',
      cast('1970-01-01T00:00:00.000000Z' as {timestamp}), cast('1970-01-01T00:00:00.000000Z' as {timestamp}),
      'Removed workspaces', '-')`,
  ],
};
