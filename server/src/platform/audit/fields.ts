/** The fields by which the audit is narrowed, and whose values are suggested. */
import { sql } from 'kysely';
import type { Expression } from '../../database/dialect/dialect.ts';
import { isOneOfTexts, namedField, type WhereField, whereReader } from '../../database/lists/where.ts';

interface AuditField extends WhereField {
  readonly value: Expression;
  /** The name of the value, if it differs. */
  readonly label?: Expression;
}

export const auditFieldNames = ['actor', 'action', 'target'] as const;
export type AuditFieldName = (typeof auditFieldNames)[number];

export const auditFields: Readonly<Record<AuditFieldName, AuditField>> = {
  /** By id, or by a part of the address or name. The system and the operator have no id. */
  actor: {
    value: sql`coalesce(cast(actor_id as text), actor_name)`,
    label: sql`actor_name`,
    ...namedField(sql`actor_id`, sql`actor_name`),
  },
  /** `grant.set`, or `grant` for all actions on grants. */
  action: {
    value: sql`action`,
    hasOneOf: (values, dialect) => isOneOfTexts(sql`action`, values.map(withKind), dialect),
  },
  target: {
    value: sql`target_id`,
    label: sql`coalesce(target_name, target_id)`,
    ...namedField(sql`target_id`, sql`coalesce(target_name, target_id)`, 'text'),
  },
};

export const readAuditConditions = whereReader(auditFieldNames, auditFields);

function withKind(value: string): string {
  return value.includes('.') || value.endsWith('*') ? value : `${value}.*`;
}
