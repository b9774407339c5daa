import type { Migration } from './migration.ts';

/**
 * The reason why a request to an MCP server failed: `failure` is the kind, `failure_text` a sentence of the gateway.
 * `started_run_id` is the run that a tool of a built-in server started. Older rows have none of them.
 */
export const requestFailures: Migration = {
  name: '0024-request-failures',
  readableFrom: '0022-partitions',
  statements: [
    'alter table mcp_request add column failure {text}',
    'alter table mcp_request add column failure_text {text}',
    'alter table mcp_request add column started_run_id {uuid}',
  ],
};
