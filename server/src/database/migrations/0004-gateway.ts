import { countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/**
 * MCP servers behind the gateway, and the record of their requests. They belong to organizations, not to workspaces.
 * `manifest_due` is the time at which a server's manifest must be read; the transaction that makes that necessary sets
 * it. `denied_as` is how a server answers a name that its capability policy denies: `forbidden` (403) or `unknown` (as
 * a missing name).
 *
 * Requests are written far more often than they are read, so they have one index: their key, which orders each server's
 * requests by time. `mcp_session` holds the totals of their sessions.
 */
const tables = [
  `create table mcp_server (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    organization_id {uuid} not null,
    slug {text} not null,
    name {text} not null,
    description {text} not null,
    kind {text} not null,
    visibility {text} not null,
    default_role {text},
    authentication {text} not null,
    policy {json} not null,
    policy_version {integer} not null,
    connection {json} not null,
    encrypted_credential {text},
    connection_version {integer} not null,
    manifest {json},
    manifest_version {integer} not null,
    manifest_read_at {timestamp},
    manifest_error {text},
    manifest_due {timestamp},
    stopped_at {timestamp},
    denied_as {text} not null default 'forbidden',
    workspace_id {uuid},
    personal_credential {json},
    encrypted_client_secret {text},
    limits {json},
    approved_tools {json},
    foreign key (organization_id) references organization (id) on delete cascade
  )`,
  'create unique index ix_mcp_server_slug on mcp_server (organization_id, slug)',
  'create unique index ix_mcp_server_workspace on mcp_server (workspace_id) where workspace_id is not null',
  'create index ix_mcp_server_manifest_due on mcp_server (manifest_due) where manifest_due is not null',
  `create table mcp_request (
    server_id {uuid} not null,
    id {uuid} not null,
    occurred {timestamp} not null,
    actor_type {text},
    actor_id {uuid},
    actor_name {text},
    method {text},
    capability {text},
    status {integer} not null,
    error_code {integer},
    decision {text} not null,
    reason {text} not null,
    duration_microseconds {integer} not null,
    request_bytes {integer} not null,
    response_bytes {integer} not null,
    session {uuid},
    client_name {text},
    client_version {text},
    protocol_version {text},
    primary key (server_id, id)
  )`,
  `create table mcp_session (
    server_id {uuid} not null,
    id {uuid} not null,
    actor_type {text},
    actor_id {uuid},
    actor_name {text},
    client_name {text},
    client_version {text},
    protocol_version {text},
    first_activity {timestamp} not null,
    last_activity {timestamp} not null,
    requests {integer} not null,
    tool_calls {integer} not null,
    errors {integer} not null,
    primary key (server_id, id)
  )`,
  `create table mcp_quota (
    counter {text} primary key,
    server_id {uuid} not null,
    taken {json} not null,
    updated {timestamp} not null,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  'create index ix_mcp_quota_server on mcp_quota (server_id)',
  'create index ix_mcp_quota_updated on mcp_quota (updated)',
  `create table mcp_quota_place (
    counter {text} not null,
    holder {uuid} not null,
    server_id {uuid} not null,
    places {integer} not null,
    expires_at {timestamp} not null,
    primary key (counter, holder),
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  'create index ix_mcp_quota_place_server on mcp_quota_place (server_id)',
  'create index ix_mcp_quota_place_expires on mcp_quota_place (expires_at)',
  `create table access_request (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    organization_id {uuid} not null,
    server_id {uuid} not null,
    user_id {uuid} not null,
    reason {text} not null,
    state {text} not null,
    role {text},
    answer {text},
    decided_at {timestamp},
    decided_by {text},
    foreign key (organization_id, user_id) references membership (organization_id, user_id) on delete cascade,
    foreign key (server_id) references mcp_server (id) on delete cascade
  )`,
  'create unique index ix_access_request_server on access_request (server_id, user_id)',
  'create index ix_access_request_user on access_request (organization_id, user_id, id)',
  'create index ix_access_request_state on access_request (organization_id, state, id)',
];

const watched = {
  table: 'mcp_server',
  columns: ['policy_version', 'default_role', 'visibility', 'authentication', 'slug', 'organization_id'],
};

export const gateway: Migration = {
  name: '0004-gateway',
  statements: {
    sqlite: [...tables, ...countsAccessChanges.sqlite(watched)],
    postgres: [...tables, ...countsAccessChanges.postgres(watched)],
  },
};
