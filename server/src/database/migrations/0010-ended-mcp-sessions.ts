import type { Migration } from './migration.ts';

/** Sessions with MCP servers that their clients have ended, so that no replica resumes them. */
export const endedMcpSessions: Migration = {
  name: '0010-ended-mcp-sessions',
  readableFrom: '0009-upstream-credentials',
  statements: [
    'create table mcp_ended_session (id {uuid} primary key, expires_at {timestamp} not null)',
    'create index ix_mcp_ended_session_expires on mcp_ended_session (expires_at)',
  ],
};
