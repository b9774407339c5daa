import type { Migration } from './migration.ts';

const columns = ['failure {text}', 'failure_text {text}', 'started_run_id {uuid}'];
const added = columns.map((column) => `alter table mcp_request add column ${column}`);

/** A database that is being divided has a table for the rows beyond the boundary, which is not a partition yet. */
const restAsWell = `do $rest$ begin
  if exists (select from pg_class where oid = to_regclass('mcp_request_default') and not relispartition) then
    ${columns.map((column) => `alter table mcp_request_default add column ${column};`).join('\n    ')}
  end if;
end $rest$`;

/**
 * The reason why a request to an MCP server failed: `failure` is the kind, `failure_text` a sentence of the gateway.
 * `started_run_id` is the run that a tool of a built-in server started. Older rows have none of them.
 */
export const requestFailures: Migration = {
  name: '0024-request-failures',
  readableFrom: '0009-upstream-credentials',
  statements: {
    sqlite: added,
    postgres: [...added, restAsWell],
  },
};
