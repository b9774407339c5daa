import { sql } from 'kysely';
import { and, type Condition, type SqlDialect } from '../../database/dialect/dialect.ts';
import { whereConditions } from '../../database/lists/where.ts';
import { platformQuery, type Query } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { firstIdAt, isUuid, normalUuid } from '../../values/id.ts';
import { microsecondsOf } from '../../values/time.ts';
import { answerOf } from '../answer-of.ts';
import { auditFields } from './fields.ts';
import { AuditEntry, type AuditFilter } from './schema.ts';

type AuditRow = Row<'audit_entry'>;

export const entryOf = answerOf(AuditEntry);

/** The greatest difference between the time of an entry and the time in its id. */
const ID_APART_MICROSECONDS = 600_000_000;

interface PageOfEntries extends AuditFilter {
  readonly organization_id: string;
  /** Id before which the page begins. */
  readonly cursor: string;
  readonly limit: number;
}

const selectEntries = (_query: unknown, given: PageOfEntries, dialect: SqlDialect): Query<AuditRow> =>
  sql`select * from audit_entry where ${conditionOf(dialect, given)} order by id desc limit ${given.limit}`;

/** Newest first. It walks the index for the length of the page. */
const walkEntries = platformQuery(selectEntries);
/** Like `walkEntries`, for a filter that few entries may match: the search may read all others. */
const searchEntries = platformQuery(selectEntries, { readsMuch: true });

export function listEntries(db: PlatformDb, given: PageOfEntries): Promise<AuditRow[]> {
  const { actor, action, target, where } = given;
  const isNarrow = where.length > 0 || [actor, action, target].some((value) => value !== undefined);
  return db.all(isNarrow ? searchEntries : walkEntries, given);
}

/**
 * The id of an entry holds the time when it was made, so the index finds the span; its own time is that of its request, a
 * little earlier, by the clock that all replicas share.
 */
export function conditionOf(dialect: SqlDialect, given: Omit<PageOfEntries, 'limit'>): Condition {
  const { actor, action, target, since, until, where } = given;
  const conditions: Condition[] = [sql`organization_id = ${given.organization_id}`, sql`id < ${given.cursor}`];
  if (since !== undefined) {
    const id = firstIdAt(microsecondsOf(since) - ID_APART_MICROSECONDS);
    conditions.push(sql`id >= ${id}`, sql`occurred >= ${since}`);
  }
  if (until !== undefined) {
    const id = firstIdAt(microsecondsOf(until) + ID_APART_MICROSECONDS);
    conditions.push(sql`id < ${id}`, sql`occurred < ${until}`);
  }
  if (actor !== undefined) {
    conditions.push(isUuid(actor) ? sql`actor_id = ${normalUuid(actor)}` : dialect.contains(sql`actor_name`, actor));
  }
  if (target !== undefined) {
    conditions.push(
      isUuid(target) ? sql`target_id = ${normalUuid(target)}` : dialect.contains(sql`target_name`, target),
    );
  }
  if (action !== undefined) {
    conditions.push(action.includes('.') ? sql`action = ${action}` : dialect.startsWith(sql`action`, `${action}.`));
  }
  return and([...conditions, ...whereConditions(where, auditFields, dialect)]);
}
