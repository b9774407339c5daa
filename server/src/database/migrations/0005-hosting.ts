import type { Migration } from './migration.ts';

/** The tables of hosted MCP servers: variables, uploads, builds, deployments and output. */
export const hosting: Migration = {
  name: '0005-hosting',
  statements: [
    `create table server_variable (
      id {uuid} primary key,
      created {timestamp} not null,
      updated {timestamp} not null,
      server_id {uuid} not null,
      name {text} not null,
      encrypted_value {text} not null,
      sensitive {boolean} not null,
      description {text} not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    'create unique index ix_server_variable_name on server_variable (server_id, name)',
    `create table server_upload (
      id {uuid} primary key,
      created {timestamp} not null,
      server_id {uuid} not null,
      size_bytes {integer} not null,
      checksum_sha256 {text} not null,
      stored {boolean} not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    'create index ix_server_upload_server on server_upload (server_id, id)',
    'create index ix_server_upload_created on server_upload (created)',
    `create table server_build (
      id {uuid} primary key,
      created {timestamp} not null,
      server_id {uuid} not null,
      actor_name {text} not null,
      state {text} not null,
      source {json} not null,
      entrypoint {text},
      dependency_path {text},
      promote {boolean} not null,
      encrypted_environment {text},
      claimed_until {timestamp},
      cancel_requested {boolean} not null,
      started {timestamp},
      finished {timestamp},
      error {text},
      launch {json},
      resolved {json},
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    'create index ix_server_build_server on server_build (server_id, id)',
    'create index ix_server_build_state on server_build (state, id)',
    `create table server_deployment (
      id {uuid} primary key,
      created {timestamp} not null,
      server_id {uuid} not null,
      build_id {uuid} not null,
      actor_name {text} not null,
      status {text} not null,
      ended {timestamp},
      foreign key (server_id) references mcp_server (id) on delete cascade,
      foreign key (build_id) references server_build (id) on delete cascade
    )`,
    'create index ix_server_deployment_server on server_deployment (server_id, id)',
    'create index ix_server_deployment_build on server_deployment (build_id)',
    "create unique index ix_server_deployment_live on server_deployment (server_id) where status = 'live'",
    `create table server_build_log (
      id {uuid} primary key,
      build_id {uuid} not null,
      occurred {timestamp} not null,
      stream {text} not null,
      message {text} not null,
      foreign key (build_id) references server_build (id) on delete cascade
    )`,
    'create index ix_server_build_log_build on server_build_log (build_id, id)',
    `create table server_process_log (
      id {uuid} primary key,
      server_id {uuid} not null,
      occurred {timestamp} not null,
      stream {text} not null,
      message {text} not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    'create index ix_server_process_log_server on server_process_log (server_id, id)',
    'create index ix_server_process_log_occurred on server_process_log (occurred)',
  ],
};
