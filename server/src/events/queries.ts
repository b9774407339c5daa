import { sql } from 'kysely';
import type { StoredEvent } from '../changes/hub.ts';
import { always, type Expression } from '../database/dialect/dialect.ts';
import { listedColumns } from '../database/lists/large-values.ts';
import type { Db } from '../database/store.ts';
import type { Timestamp } from '../values/time.ts';
import type { EventCriteria } from './criteria.ts';
import { selectEvents } from './filter-condition.ts';
import type { TimeBuckets } from './time-buckets.ts';

/** The end of a page: the next page begins after this event. */
export interface EventPosition {
  readonly occurred: Timestamp;
  readonly id: string;
}

/**
 * Up to `limit` matching events in the requested order, after `after`. Events of the same time are ordered by id. The
 * page is cut on ids first and joined afterwards, so that payloads are read for the page only.
 */
export function listEvents(
  db: Db,
  criteria: EventCriteria,
  limit: number,
  after?: EventPosition | null,
): Promise<StoredEvent[]> {
  const { dialect } = db;
  const isAscending = criteria.order === 'ASC';
  const direction = sql.raw(isAscending ? 'asc' : 'desc');
  const { source, isNarrow } = chosenEvents(criteria, db);
  const sorted = (column: Expression) => (isNarrow ? dialect.unindexed(column) : column);
  const beyond = after
    ? sql<boolean>`(chosen.occurred, chosen.id) ${sql.raw(isAscending ? '>' : '<')} (${after.occurred}, ${after.id})`
    : always;
  return db.query(
    sql<StoredEvent>`select ${listedColumns(db, 'event')} from (select chosen.id, chosen.occurred from (${source}) chosen where ${beyond}
        order by ${sorted(sql`chosen.occurred`)} ${direction}, ${sorted(sql`chosen.id`)} ${direction} limit ${limit}) page
      ${dialect.joinInOrder} event on event."workspace" = ${db.workspace} and event.id = page.id
        and event.occurred = page.occurred
      order by event.occurred ${direction}, event.id ${direction}`,
  );
}

/** Ids and times of matching events; if the filter wants them distinct, only the first of each primary resource. */
function chosenEvents(criteria: EventCriteria, db: Db): { source: Expression; isNarrow: boolean } {
  const { rows, ids, isNarrow } = selectEvents(criteria, db);
  if (!criteria.resource?.distinct) return { source: sql`select event.id, event.occurred ${ids}`, isNarrow };
  const direction = sql.raw(criteria.order === 'ASC' ? 'asc' : 'desc');
  const ranked = sql`select event.id, event.occurred, row_number() over (partition by event.resource_id
    order by event.occurred ${direction}, event.id ${direction}) as place ${rows}`;
  return { source: sql`select ranked.id, ranked.occurred from (${ranked}) ranked where ranked.place = 1`, isNarrow };
}

/** Counts matching events, or their primary resources if the filter wants them distinct. */
export async function countEvents(db: Db, criteria: EventCriteria): Promise<number> {
  const { rows, ids } = selectEvents(criteria, db);
  const [row] = await db.query(
    criteria.resource?.distinct
      ? sql<{ count: number }>`select count(distinct event.resource_id) as count ${rows}`
      : sql<{ count: number }>`select count(*) as count ${ids}`,
  );
  return row?.count ?? 0;
}

interface EventTally {
  readonly value: string;
  readonly label: string;
  readonly count: number;
  readonly start_time: Timestamp;
  readonly end_time: Timestamp;
}

/** Counts matching events by name, most frequent first. */
export function countByName(db: Db, criteria: EventCriteria): Promise<EventTally[]> {
  return db.query(
    sql<EventTally>`select event.event as value, event.event as label, count(*) as count,
        min(event.occurred) as start_time, max(event.occurred) as end_time
      ${selectEvents(criteria, db).rows} group by event.event order by count(*) desc, event.event`,
  );
}

/** Counts matching events by primary resource, most frequent first; each resource has its name from its last event. */
export function countByResource(db: Db, criteria: EventCriteria): Promise<EventTally[]> {
  const label = (name: string) => db.dialect.labelOf(sql`named.resource`, name);
  return db.query(
    sql<EventTally>`select named.value, coalesce(${label('prefect.resource.name')}, ${label('prefect.name')}, named.value)
        as label, named.count, named.start_time, named.end_time
      from (select tally.*, (select latest.resource from event latest where latest."workspace" = ${db.workspace}
          and latest.resource_id = tally.value and latest.occurred = tally.end_time order by latest.id desc limit 1) as resource
        from (select event.resource_id as value, count(*) as count, min(event.occurred) as start_time,
            max(event.occurred) as end_time ${selectEvents(criteria, db).rows} group by event.resource_id) tally) named
      order by named.count desc, label`,
  );
}

/** Counts matching events in each bucket, by the bucket's index; empty buckets are absent. */
export async function countByTime(db: Db, criteria: EventCriteria, buckets: TimeBuckets): Promise<Map<number, number>> {
  const index = db.dialect.intervalOf(sql`counted.occurred`, buckets);
  const rows = await db.query(
    sql<{ bucket: number; count: number }>`select ${index} as bucket, count(*) as count
      from (select event.occurred ${selectEvents(criteria, db).ids}) counted where counted.occurred < ${buckets.end}
      group by 1`,
  );
  return new Map(rows.map(({ bucket, count }) => [bucket, count]));
}
