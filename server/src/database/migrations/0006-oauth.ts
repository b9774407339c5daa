import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/** The tables of MCP clients that people sign in with the browser. */
const tables = [
  `create table oauth_client (
    id {text} primary key,
    created {timestamp} not null,
    metadata {json} not null,
    used_at {timestamp}
  )`,
  'create index ix_oauth_client_created on oauth_client (created)',
  `create table oauth_connection (
    id {uuid} primary key,
    created {timestamp} not null,
    user_id {uuid} not null,
    organization_id {uuid} not null,
    server_id {uuid} not null,
    client_id {text} not null,
    client_name {text} not null,
    redirect_uri {text} not null,
    resource {text} not null,
    scope {text} not null,
    expires_at {timestamp} not null,
    last_used_at {timestamp},
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  'create index ix_oauth_connection_user on oauth_connection (user_id, id)',
  'create index ix_oauth_connection_membership on oauth_connection (organization_id, user_id)',
  'create index ix_oauth_connection_server on oauth_connection (server_id)',
  'create index ix_oauth_connection_client on oauth_connection (client_id)',
  `create table oauth_token (
    hash {text} primary key,
    kind {text} not null,
    connection_id {uuid} not null,
    created {timestamp} not null,
    scope {text} not null,
    payload {json} not null,
    expires_at {timestamp} not null,
    consumed_at {timestamp},
    foreign key (connection_id) references oauth_connection (id) on delete cascade
  )`,
  'create index ix_oauth_token_connection on oauth_token (connection_id)',
  'create index ix_oauth_token_expires on oauth_token (expires_at)',
  `create table oauth_flow (
    hash {text} primary key,
    kind {text} not null,
    payload {json} not null,
    expires_at {timestamp} not null
  )`,
  'create index ix_oauth_flow_expires on oauth_flow (expires_at)',
];

const watched = [{ table: 'oauth_connection', columns: ['scope', 'expires_at'] }];

export const oauth: Migration = {
  name: '0006-oauth',
  statements: {
    sqlite: [...tables, ...watched.flatMap(countsAccessChanges.sqlite)],
    postgres: [...tables, ...watched.flatMap(countsAccessChanges.postgres)],
  },
};
