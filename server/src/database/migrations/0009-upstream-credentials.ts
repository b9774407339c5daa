import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/** The accounts that people have at servers behind the gateway, and this gateway as an OAuth client there. */
const tables = [
  `create table upstream_client (
    server_id {uuid} primary key,
    created {timestamp} not null,
    redirect_uri {text} not null,
    encrypted_client {text} not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  `create table upstream_credential (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    organization_id {uuid} not null,
    user_id {uuid} not null,
    server_id {uuid} not null,
    kind {text} not null,
    encrypted_secret {text} not null,
    scope {text},
    expires_at {timestamp},
    problem {text},
    version {integer} not null,
    renewing_until {timestamp},
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  'create unique index ix_upstream_credential_server on upstream_credential (server_id, user_id)',
  'create index ix_upstream_credential_user on upstream_credential (user_id, id)',
  'create index ix_upstream_credential_membership on upstream_credential (organization_id, user_id)',
];

const watched = { table: 'upstream_credential', columns: ['server_id', 'user_id'] };

export const upstreamCredentials: Migration = {
  name: '0009-upstream-credentials',
  readableFrom: '0008-ended-sessions',
  statements: {
    sqlite: [...tables, ...countsAccessChanges.sqlite(watched)],
    postgres: [...tables, ...countsAccessChanges.postgres(watched)],
  },
};
