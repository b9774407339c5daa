import type { Migration } from '../migrate.ts';

const kept =
  'actor_type, actor_id, actor_name, method, capability, status, error_code, decision, reason, duration_microseconds, ' +
  'request_bytes, response_bytes, cast(session as {uuid}), client_name, client_version, protocol_version';

/**
 * Requests to MCP servers are written far more often than they are read, so they have one index: their key, which is each
 * server's requests in the order of time. What their sessions add up to is a table of its own.
 */
export const mcpRequestOrder: Migration = {
  name: '0033-mcp-request-order',
  statements: [
    `create table mcp_request_in_order (
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
    `insert into mcp_request_in_order select server_id, id, occurred, ${kept} from mcp_request`,
    'drop table mcp_request',
    'alter table mcp_request_in_order rename to mcp_request',
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
  ],
};
