import type { Migration } from './migration.ts';

/**
 * Processes that share a PostgreSQL database find each other, and agree which host runs the programs of a server; SQLite
 * has one process, so there both tables stay empty. `mcp_task` has the tasks of MCP servers, so that each process lists
 * all of them.
 */
export const peers: Migration = {
  name: '0020-peers',
  readableFrom: '0009-upstream-credentials',
  statements: [
    `create table peer (
      id {text} primary key,
      address {text} not null,
      build {text} not null,
      host {text},
      claims {json} not null,
      seen {timestamp} not null
    )`,
    `create table program_claim (
      server_id {uuid} primary key,
      host {text} not null,
      until {timestamp} not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    `create table mcp_task (
      id {text} primary key,
      created {timestamp} not null,
      server_id {uuid} not null,
      actor_id {text} not null,
      sealed {text} not null,
      foreign key (server_id) references mcp_server (id) on delete cascade
    )`,
    'create index ix_mcp_task_owner on mcp_task (server_id, actor_id, created)',
    'create index ix_mcp_task_created on mcp_task (created)',
  ],
};
