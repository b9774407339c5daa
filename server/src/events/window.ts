/** Limits how many events one request reads for conditions that no index answers: it reads the newest of them. */
import { sql } from 'kysely';
import type { Where } from '../database/lists/where.ts';
import type { Db } from '../database/store.ts';
import type { Timestamp } from '../values/time.ts';
import type { EventCriteria } from './criteria.ts';
import { selectEvents } from './filter-condition.ts';

/** Reading the rows of this many events takes 0.1 s. */
const MOST_READ = 50_000;
/** Looking up this many events by a related resource takes 0.2 s. */
const MOST_LOOKED_UP = 10_000;

interface EventWindow {
  /** The criteria, restricted to the window. */
  readonly criteria: EventCriteria;
  /** The time of the oldest events in the window; undefined when it contains every event that can match. */
  readonly end: Timestamp | undefined;
}

export async function withinWindow(db: Db, criteria: EventCriteria): Promise<EventWindow> {
  const { where = [], text } = criteria;
  const served = where.find(isServed);
  const isAnswered = !text && where.every((condition) => condition === served);
  return isAnswered ? { criteria, end: undefined } : newestEvents(db, criteria, served);
}

/** Restricts to the newest events; `served` is the condition in whose index they are read. */
export async function newestEvents(
  db: Db,
  criteria: EventCriteria,
  served = criteria.where?.find(isServed),
): Promise<EventWindow> {
  const end = await findEnd(
    db,
    { ...criteria, text: null, where: served ? [served] : [] },
    served?.field === 'related' ? MOST_LOOKED_UP : MOST_READ,
  );
  if (end === undefined) return { criteria, end };
  return { criteria: { ...criteria, occurred: { ...criteria.occurred, since: end } }, end };
}

/** True if an index holds the matching events in the order of their time. */
function isServed({ field, not, values: [value = '', ...others] }: Where[number]): boolean {
  return !not && others.length === 0 && field !== 'task_runs' && !value.endsWith('*');
}

async function findEnd(db: Db, criteria: EventCriteria, most: number): Promise<Timestamp | undefined> {
  const [last] = await db.query(
    sql<{ occurred: Timestamp }>`select event.occurred ${selectEvents(criteria, db).ids}
      order by event.occurred desc limit 1 offset ${sql.lit(most)}`,
  );
  return last?.occurred;
}
