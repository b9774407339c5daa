import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformQuery, platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { failureOf } from '../../../mcp/gateway/arrive/failures.ts';
import { daysOf, type Shelf, standingOf, standsIn } from '../../../recurrence/recurrence.ts';
import type { Timestamp } from '../../../values/time.ts';

type ServerCauseRow = Row<'mcp_failure_cause'>;

export const serverCauses = rows('mcp_failure_cause');

interface ListedCause extends ServerCauseRow {
  readonly server_slug: string;
  readonly server_name: string;
}

interface CauseScope {
  readonly server_ids: readonly string[];
  readonly shelf: Shelf;
  readonly since: Timestamp;
  readonly now: Timestamp;
  readonly limit: number;
}

const columns = sql`mcp_failure_cause.*, mcp_server.slug as server_slug, mcp_server.name as server_name`;

/** Causes of these servers that came since a time, those that came last first. */
export const listServerCauses = platformQuery<CauseScope, ListedCause>(
  (_query, { server_ids, shelf, since, now, limit }, dialect) =>
    sql`select ${columns} from mcp_failure_cause join mcp_server on mcp_server.id = mcp_failure_cause.server_id
      where ${dialect.oneOf(sql`mcp_failure_cause.server_id`, server_ids, 'uuid')}
        and ${standsIn('mcp_failure_cause', shelf, now)} and mcp_failure_cause.last_seen >= ${since}
      order by mcp_failure_cause.last_seen desc, mcp_failure_cause.id desc limit ${limit}`,
);

/** A cause at a server of the organization. */
export const findServerCause = platformStatement<{ organization_id: string; id: string }, ListedCause>(
  (_query, given) =>
    sql<ListedCause>`select ${columns} from mcp_failure_cause
      join mcp_server on mcp_server.id = mcp_failure_cause.server_id
      where mcp_failure_cause.id = ${given.id} and mcp_server.organization_id = ${given.organization_id}`,
);

export const lockServerCause = platformStatement<{ id: string }, ServerCauseRow>((query, given, dialect) =>
  query.selectFrom('mcp_failure_cause').selectAll().where('id', '=', given.id).modifyEnd(dialect.forUpdate),
);

export function serverCauseOf(row: ListedCause, now: Timestamp) {
  return {
    id: row.id,
    server: { id: row.server_id, slug: row.server_slug, name: row.server_name },
    failure: row.failure,
    ...failureOf(row.failure, row.last_text),
    standing: standingOf(row, now),
    firstSeenAt: row.first_seen,
    lastSeenAt: row.last_seen,
    count: row.count,
    days: daysOf(row.days),
    resolvedAt: row.resolved,
    regressedAt: row.regressed,
    mutedUntil: row.muted_until,
    mutedUntilCount: row.muted_until_count,
    ownerId: row.owner_id,
    ownerName: row.owner_name,
  };
}
