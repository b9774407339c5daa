import type { Migration } from '../migrate.ts';

/**
 * When a hosted server shall be asked what it offers. Noted in the transaction that makes it necessary, so that it is not
 * forgotten when the process ends before it has asked. Servers that were never asked are.
 */
export const manifestDue: Migration = {
  name: '0048-manifest-due',
  statements: [
    'alter table mcp_server add column manifest_due {timestamp}',
    `update mcp_server set manifest_due = updated where kind = 'hosted' and manifest_read_at is null`,
    'create index ix_mcp_server_manifest_due on mcp_server (manifest_due) where manifest_due is not null',
  ],
};
