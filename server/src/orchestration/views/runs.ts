/** A page of the list of runs, with the counts and the history above it. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { always, type Condition, type Expression } from '../../database/dialect.ts';
import type { Db } from '../../database/store.ts';
import { secondsBetween, type Timestamp } from '../../time.ts';
import { effectiveStart } from '../filters/flow-run-filter.ts';
import { flowRunCondition, type RelatedFilters } from '../filters/related-conditions.ts';
import { countFlowRuns } from '../runs/flow-runs/list-queries.ts';
import { readFlowRunHistory } from '../runs/history/run-history.ts';
import { runRow, runRowColumns, runRowJoins, type StoredRunRow } from './run-row.ts';
import type { RunPosition } from './runs-schema.ts';

export type RunOrder = 'newest' | 'oldest';

export interface RunPage {
  readonly order: RunOrder;
  readonly limit: number;
  readonly after: RunPosition | null | undefined;
}

/** Reads one row more than the page has, to know whether there is a next page. */
export async function readRunPage(context: Context, filters: RelatedFilters, page: RunPage) {
  const { db, now } = context;
  const found = await listRunRows(db, filters, { ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  const last = found.length > page.limit ? rows.at(-1) : undefined;
  return {
    as_of: now,
    runs: rows.map((row) => runRow(row, now)),
    next: last ? { start: last.start_time ?? last.expected_start_time, id: last.id } : null,
  };
}

export interface HistoryBounds {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervals: number;
}

export async function readRunSums(context: Context, filters: RelatedFilters, bounds: HistoryBounds) {
  const { start, end, intervals } = bounds;
  const intervalSeconds = Math.max(1, Math.ceil(secondsBetween(start, end) / intervals));
  const [count, history] = await Promise.all([
    countFlowRuns(context.db, filters),
    readFlowRunHistory(context, filters, { start, end, intervalSeconds }),
  ]);
  return { count, history };
}

/** The page is cut on ids first and joined afterwards. */
function listRunRows(db: Db, filters: RelatedFilters, { order, limit, after }: RunPage): Promise<StoredRunRow[]> {
  const { dialect } = db;
  const direction = order === 'newest' ? 'desc' : 'asc';
  const sorted: Expression = sql`${dialect.orderBy(effectiveStart, direction)}, flow_run.id ${sql.raw(direction)}`;
  const condition = flowRunCondition(filters, dialect);
  return db.query(
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace} and ${condition}
          and ${after ? beyond(after, order) : always} order by ${sorted} limit ${limit}
      ) page
      ${dialect.joinInOrder} flow_run on flow_run."workspace" = ${db.workspace} and flow_run.id = page.id
      ${runRowJoins} order by ${sorted}`,
  );
}

/** Runs without a start time are older than all others, as the databases sort them. */
function beyond({ start, id }: RunPosition, order: RunOrder): Condition {
  if (order === 'newest') {
    return start === null
      ? sql<boolean>`(${effectiveStart} is null and flow_run.id < ${id})`
      : sql<boolean>`(${effectiveStart} < ${start} or (${effectiveStart} = ${start} and flow_run.id < ${id})
          or ${effectiveStart} is null)`;
  }
  return start === null
    ? sql<boolean>`(${effectiveStart} is not null or flow_run.id > ${id})`
    : sql<boolean>`(${effectiveStart} > ${start} or (${effectiveStart} = ${start} and flow_run.id > ${id}))`;
}
