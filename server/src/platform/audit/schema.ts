import { DateTime, JsonObject, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { List } from '../page.ts';

/** One accepted change: who, what, on what, from where, when. Never which key. */
export const AuditEntry = Shape(
  'AuditEntry',
  {
    id: Uuid(),
    occurredAt: DateTime(),
    actorType: Type.String(),
    actorId: Nullable(Uuid()),
    actorName: Type.String(),
    action: Type.String(),
    targetType: Type.String(),
    targetId: Nullable(Type.String()),
    targetName: Nullable(Type.String()),
    address: Nullable(Type.String()),
    details: JsonObject(),
  },
  'ignore',
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditList = List('AuditList', AuditEntry);
