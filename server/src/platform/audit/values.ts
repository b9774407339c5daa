/** Suggested values of a field of the audit, with the number of entries that have them. */
import { sql } from 'kysely';
import { and } from '../../database/dialect/dialect.ts';
import { countedValues } from '../../database/lists/where.ts';
import type { FieldValue, FieldValues } from '../../database/lists/where-schema.ts';
import { platformQuery } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { LAST_ID } from '../../values/id.ts';
import { type AuditFieldName, auditFields } from './fields.ts';
import { conditionOf } from './queries.ts';
import type { AuditFilter } from './schema.ts';

/** Counting the values of this many entries takes 0.1 s. */
const MOST_READ = 100_000;

interface Asked {
  readonly organization_id: string;
  readonly filter: AuditFilter;
  readonly field: AuditFieldName;
  readonly text: string;
  readonly limit: number;
}

type End = Pick<Row<'audit_entry'>, 'id' | 'occurred'>;

/** The newest entry that is not counted. */
const findEnd = platformQuery<Pick<Asked, 'organization_id' | 'filter'>, End>(
  (_query, { organization_id, filter: { since, until } }, dialect) => {
    const span = { organization_id, since, until, where: [], cursor: LAST_ID };
    return sql`select id, occurred from audit_entry where ${conditionOf(dialect, span)}
      order by id desc limit 1 offset ${sql.lit(MOST_READ)}`;
  },
  { readsMuch: true },
);

const countByValue = platformQuery<Asked & { end: End | undefined }, FieldValue>(
  (_query, { organization_id, filter, field, text, limit, end }, dialect) => {
    const { value, label = value } = auditFields[field];
    const matches = conditionOf(dialect, { ...filter, organization_id, cursor: LAST_ID });
    const source = sql`from audit_entry where ${and([matches, ...(end ? [sql<boolean>`id > ${end.id}`] : [])])}`;
    return countedValues({ value, label, source, text, limit }, dialect);
  },
  { readsMuch: true },
);

/** Counts the newest entries. */
export async function readAuditValues(db: PlatformDb, asked: Asked): Promise<FieldValues> {
  const end = await db.first(findEnd, asked);
  const values = await db.all(countByValue, { ...asked, end });
  return { values, counted_since: end?.occurred ?? null };
}
