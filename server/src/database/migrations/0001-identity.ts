import { accessVersion, countsAccessChanges } from './access-version.ts';
import type { Migration } from './migration.ts';

/**
 * Organizations and their workspaces, people and programs, their rights, and facts about the database. Only
 * `configuration` belongs to a workspace.
 *
 * A deleted workspace stays in `removed_workspace`: its key is never reused, and rows that are not deleted with it are
 * found by the key. Until its rows are gone it belongs to the organization `Removed workspaces`, which has no member.
 */
const tables = [
  `create table organization (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    slug {text} not null unique
  )`,
  `create table workspace (
    key {integer} primary key,
    id {uuid} not null unique,
    created {timestamp} not null,
    updated {timestamp} not null,
    name {text} not null,
    organization_id {uuid} not null,
    handle {text} not null,
    description {text} not null,
    default_role {text},
    unique (organization_id, handle),
    foreign key (organization_id) references organization (id) on delete cascade
  )`,
  `create table configuration (
    workspace {integer} not null,
    key {text} not null,
    value {json} not null,
    primary key (workspace, key),
    foreign key (workspace) references workspace (key) on delete cascade
  )`,
  `create table removed_workspace (
    key {integer} primary key,
    removed {timestamp} not null,
    emptied {timestamp}
  )`,
  `insert into organization (id, created, updated, name, slug) values ('ffffffff-ffff-ffff-ffff-ffffffffffff',
    cast('1970-01-01T00:00:00.000000Z' as {timestamp}), cast('1970-01-01T00:00:00.000000Z' as {timestamp}),
    'Removed workspaces', '-')`,
  `create table user_account (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    email {text} not null unique,
    name {text},
    password_hash {text},
    state {text} not null,
    proven_at {timestamp}
  )`,
  `create table membership (
    organization_id {uuid} not null,
    user_id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    role {text} not null,
    primary key (organization_id, user_id),
    foreign key (organization_id) references organization (id) on delete cascade,
    foreign key (user_id) references user_account (id) on delete cascade
  )`,
  'create index ix_membership_user on membership (user_id)',
  `create table service_account (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    organization_id {uuid} not null,
    name {text} not null,
    description {text} not null,
    role {text} not null,
    state {text} not null,
    foreign key (organization_id) references organization (id) on delete cascade
  )`,
  `create unique index ix_service_account_name on service_account (organization_id, name) where state <> 'deleted'`,
  `create table api_key (
    id {uuid} primary key,
    created {timestamp} not null,
    hash {text} not null unique,
    descriptor {text} not null,
    owner_type {text} not null,
    owner_id {uuid} not null,
    revoked_at {timestamp},
    last_used_at {timestamp}
  )`,
  'create index ix_api_key_owner on api_key (owner_id, created)',
  `create table resource_grant (
    resource_type {text} not null,
    resource_id {uuid} not null,
    actor_type {text} not null,
    actor_id {uuid} not null,
    created {timestamp} not null,
    updated {timestamp} not null,
    role {text} not null,
    primary key (resource_id, actor_id)
  )`,
  'create index ix_resource_grant_actor on resource_grant (actor_id)',
  `create table invitation (
    id {uuid} primary key,
    created {timestamp} not null,
    updated {timestamp} not null,
    organization_id {uuid} not null,
    email {text} not null,
    role {text} not null,
    token_hash {text} not null unique,
    state {text} not null,
    expires_at {timestamp} not null,
    invited_by {uuid},
    foreign key (organization_id) references organization (id) on delete cascade
  )`,
  'create index ix_invitation_organization on invitation (organization_id, created)',
  `create table session (
    id {text} primary key,
    created {timestamp} not null,
    user_id {uuid} not null,
    csrf_token {text} not null,
    expires_at {timestamp} not null,
    last_seen_at {timestamp} not null,
    foreign key (user_id) references user_account (id) on delete cascade
  )`,
  'create index ix_session_user on session (user_id)',
  `create table device_authorization (
    id {uuid} primary key,
    created {timestamp} not null,
    device_code_hash {text} not null unique,
    user_code {text} not null unique,
    device_name {text},
    state {text} not null,
    user_id {uuid},
    expires_at {timestamp} not null,
    last_polled_at {timestamp},
    client_id {text},
    platform {text},
    address {text}
  )`,
  `create table audit_entry (
    id {uuid} primary key,
    organization_id {uuid},
    occurred {timestamp} not null,
    actor_type {text} not null,
    actor_id {uuid},
    actor_name {text} not null,
    action {text} not null,
    target_type {text} not null,
    target_id {text},
    target_name {text},
    address {text},
    details {json} not null
  )`,
  'create index ix_audit_entry_organization on audit_entry (organization_id, id)',
  `create table set_up_link (
    token_hash {text} primary key,
    created {timestamp} not null,
    expires_at {timestamp} not null
  )`,
  `create table user_identity (
    issuer {text} not null,
    subject {text} not null,
    user_id {uuid} not null,
    created {timestamp} not null,
    primary key (issuer, subject),
    foreign key (user_id) references user_account (id) on delete cascade
  )`,
  'create index ix_user_identity_user on user_identity (user_id)',
  // Attempts at credentials, counted for all replicas, and the browsers that have signed a person in before.
  `create table attempt (
    key {text} primary key,
    full_until {integer} not null
  )`,
  'create index ix_attempt_full_until on attempt (full_until)',
  `create table known_device (
    token_hash {text} not null,
    user_id {uuid} not null,
    created {timestamp} not null,
    expires_at {timestamp} not null,
    primary key (token_hash, user_id),
    foreign key (user_id) references user_account (id) on delete cascade
  )`,
  'create index ix_known_device_user on known_device (user_id)',
  'create index ix_known_device_expires on known_device (expires_at)',
  // Written to test whether the database accepts writes.
  'create table write_probe (writes {integer} not null)',
  'insert into write_probe values (0)',
];

/** The tables whose changes may change access. */
const watched = [
  { table: 'api_key', columns: ['revoked_at'] },
  { table: 'user_account', columns: ['state'] },
  { table: 'service_account', columns: ['state', 'role'] },
  { table: 'membership', columns: ['role'] },
  { table: 'resource_grant', columns: ['role'], inserts: true },
  { table: 'organization', columns: ['slug'] },
  { table: 'workspace', columns: ['default_role', 'handle', 'organization_id'] },
];

export const identity: Migration = {
  name: '0001-identity',
  statements: {
    sqlite: [
      ...tables,
      `create trigger workspace_removed after delete on workspace begin
        insert into removed_workspace (key, removed) values (old.key, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'));
      end`,
      ...accessVersion.sqlite,
      ...watched.flatMap(countsAccessChanges.sqlite),
    ],
    postgres: [
      ...tables,
      `create function workspace_removed() returns trigger language plpgsql as $removed$
      begin
        insert into removed_workspace (key, removed) values (old.key, now());
        return null;
      end $removed$`,
      'create trigger workspace_removed after delete on workspace for each row execute function workspace_removed()',
      ...accessVersion.postgres,
      ...watched.flatMap(countsAccessChanges.postgres),
    ],
  },
};
