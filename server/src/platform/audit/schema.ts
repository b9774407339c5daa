import { type Where, whereQuery } from '../../database/lists/where.ts';
import { valuesParts } from '../../database/lists/where-schema.ts';
import {
  DateTime,
  described,
  JsonObject,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { List, pageQuery } from '../page.ts';
import { auditFieldNames } from './fields.ts';

/** One accepted change: who, what, on what, from where, when. It never names the key. */
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

const text = () => Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

const filter = {
  actor: described(text(), 'The id of an actor, or part of its address or name.'),
  action: described(text(), 'An action (`grant.set`), or the part before its dot (`grant`).'),
  target: described(text(), 'The id of a target, or part of its name.'),
  since: described(Type.Optional(DateTime()), 'Entries from this time on.'),
  until: described(Type.Optional(DateTime()), 'Entries before this time.'),
};

export const auditQuery = Type.Object({ ...pageQuery.properties, ...filter, where: whereQuery });
export const auditExportQuery = Type.Object({
  format: withDefault(OneOf(['jsonl', 'csv']), 'jsonl'),
  ...filter,
  where: whereQuery,
});
export const auditValuesQuery = Type.Object({ ...filter, where: whereQuery, ...valuesParts(auditFieldNames) });

const AuditFilter = Type.Object(filter);
/** `where` has been checked against the fields of the audit. */
export type AuditFilter = Static<typeof AuditFilter> & { readonly where: Where };
