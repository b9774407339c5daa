/** A page of the list of runs, with the counts and the history above it. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { always, and, type Condition, type Expression } from '../../database/dialect.ts';
import type { Db } from '../../database/store.ts';
import { FIRST_ID, LAST_ID } from '../../id.ts';
import { secondsBetween, type Timestamp } from '../../time.ts';
import { effectiveStart } from '../filters/flow-run-filter.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import { findReadWindow } from '../runs/history/read-window.ts';
import { countRunsByStart } from '../runs/history/start-counts.ts';
import { runRow, runRowColumns, runRowJoins, type StoredRunRow } from './run-row.ts';
import type { RunPosition } from './runs-schema.ts';

export type RunOrder = 'newest' | 'oldest';

export interface RunPage {
  readonly order: RunOrder;
  readonly limit: number;
  readonly after: RunPosition | null | undefined;
}

/**
 * Reads one row more than the page has, to know whether there is a next page. A page ends early, possibly empty, when
 * it has looked at many runs that do not match.
 */
export async function readRunPage(context: Context, filters: RelatedFilters, { order, limit, after }: RunPage) {
  const { db, now } = context;
  const found: StoredRunRow[] = [];
  let end: Timestamp | undefined;
  for (const beyond of partsBeyond(after, order)) {
    const missing = limit + 1 - found.length;
    if (missing === 0 || end !== undefined) break;
    const window = await findReadWindow(db, filters, { order, beyond, counts: false });
    end = window.end;
    found.push(...(await listRunRows(db, { order, limit: missing, condition: and([window.condition, beyond]) })));
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    as_of: now,
    runs: rows.map((row) => runRow(row, now)),
    next: last ? { start: last.start_time ?? last.expected_start_time, id: last.id } : afterAll(end, order),
  };
}

/** The position after all runs that start at `time`. */
function afterAll(time: Timestamp | undefined, order: RunOrder): RunPosition | null {
  return time === undefined ? null : { start: time, id: order === 'newest' ? FIRST_ID : LAST_ID };
}

export interface HistoryBounds {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervals: number;
}

export async function readRunSums(context: Context, filters: RelatedFilters, bounds: HistoryBounds) {
  const { start, end, intervals } = bounds;
  // The last interval holds the end too, which filters include.
  const intervalSeconds = Math.floor(secondsBetween(start, end) / intervals) + 1;
  return countRunsByStart(context, filters, { start, end, intervalSeconds });
}

interface Part {
  readonly order: RunOrder;
  readonly limit: number;
  readonly condition: Condition;
}

/** The rows are cut on ids first and joined afterwards. */
function listRunRows(db: Db, { order, limit, condition }: Part): Promise<StoredRunRow[]> {
  const { dialect } = db;
  const direction = order === 'newest' ? 'desc' : 'asc';
  const sorted: Expression = sql`${dialect.orderBy(effectiveStart, direction)}, flow_run.id ${sql.raw(direction)}`;
  return db.query(
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace} and ${condition}
        order by ${sorted} limit ${limit}
      ) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${db.workspace} and flow_run.id = page.id
      ${runRowJoins} order by ${sorted}`,
  );
}

/**
 * The runs beyond a position, in parts that are read one after the other. Runs without any start are older than all
 * others, as the databases sort them; a part of their own lets an index find both.
 */
function partsBeyond(after: RunPosition | null | undefined, order: RunOrder): Condition[] {
  if (!after) return [always];
  const { start, id } = after;
  const unstarted = sql<boolean>`${effectiveStart} is null`;
  if (order === 'newest') {
    if (start === null) return [sql<boolean>`(${unstarted} and flow_run.id < ${id})`];
    return [
      sql<boolean>`(${effectiveStart} <= ${start} and (${effectiveStart} < ${start} or flow_run.id < ${id}))`,
      unstarted,
    ];
  }
  if (start === null) {
    return [sql<boolean>`(${unstarted} and flow_run.id > ${id})`, sql<boolean>`${effectiveStart} is not null`];
  }
  return [sql<boolean>`(${effectiveStart} >= ${start} and (${effectiveStart} > ${start} or flow_run.id > ${id}))`];
}
