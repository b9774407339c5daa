import type { Migration } from './migration.ts';

/** The network that a client registered from. Clients of one network share a part of the places. */
export const clientShares: Migration = {
  name: '0011-client-shares',
  readableFrom: '0009-upstream-credentials',
  statements: [
    'alter table oauth_client add column share {text}',
    'create index ix_oauth_client_unused on oauth_client (share, created) where used_at is null',
  ],
};
