import type { Row } from '../../database/tables.ts';
import type { AuditEntry } from './schema.ts';

export function entryOf(row: Row<'audit_entry'>): AuditEntry {
  return {
    id: row.id,
    occurredAt: row.occurred,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    targetName: row.target_name,
    address: row.address,
    details: row.details,
  };
}
