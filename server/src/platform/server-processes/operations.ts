import type { OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import type { ServerRow } from '../servers/queries.ts';

export function restartServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  return context.transaction(async (tx) => {
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'server.restart',
      target: { type: 'server', id: row.id, name: row.name },
    });
    tx.afterCommit(() => context.server.hosting.restart(row.id));
  });
}
