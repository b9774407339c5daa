import type { Migration } from '../migrate.ts';

/** People, programs and what they may do. These tables stand above workspaces, so they carry no `workspace`. */
export const identity: Migration = {
  name: '0018-identity',
  statements: [
    `create table user_account (
      id {uuid} primary key,
      created {timestamp} not null,
      updated {timestamp} not null,
      email {text} not null unique,
      name {text},
      password_hash {text},
      state {text} not null
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
      last_polled_at {timestamp}
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
  ],
};
