import type { Migration } from './migration.ts';

/** `source_id` is the server of a remix to which a request went; null for other servers and for requests to several. */
export const remix: Migration = {
  name: '0007-remix',
  readableFrom: '0006-oauth',
  statements: ['alter table mcp_request add column source_id {uuid}'],
};
