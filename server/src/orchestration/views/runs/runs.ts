/** A page of a list of runs, with the counts and the history above it. */
import type { Context } from '../../../context/context.ts';
import type { NarrowingCondition } from '../../../database/lists/where-schema.ts';
import type { Db } from '../../../database/store.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { countRunsBriefly, countRunsByStart } from '../../runs/history/start-counts.ts';
import type { StartOrder } from '../../runs/history/start-order.ts';
import { readWaits } from '../../why/waits.ts';
import { flowRunNarrowing } from '../narrowing/flow-run-fields.ts';
import { narrow } from '../narrowing/narrow.ts';
import type { RunPageRequest, RunsFound } from './run-page.ts';
import { flowRunList, runRow, type StoredRunRow } from './run-row.ts';
import { findRunsByStart } from './runs-by-start.ts';
import { findRunsByState } from './runs-by-state.ts';
import { findRunsByValue } from './runs-by-value.ts';
import type { RunListSort } from './runs-schema.ts';
import { taskRunList, taskRunRow } from './task-run-row.ts';

type Find = (db: Db, filters: RelatedFilters, page: RunPageRequest) => Promise<RunsFound<StoredRunRow>>;

const byStart =
  (order: 'newest' | 'oldest'): Find =>
  (db, filters, page) =>
    findRunsByStart(db, flowRunList, filters, { ...page, order });
const byState =
  (direction: 'asc' | 'desc'): Find =>
  (db, filters, page) =>
    findRunsByState(db, filters, { ...page, direction });
const byValue =
  (by: 'name' | 'run_time', direction: 'asc' | 'desc'): Find =>
  (db, filters, page) =>
    findRunsByValue(db, filters, { ...page, by, direction });

const finders: Readonly<Record<RunListSort, Find>> = {
  START_TIME_DESC: byStart('newest'),
  START_TIME_ASC: byStart('oldest'),
  NAME_ASC: byValue('name', 'asc'),
  NAME_DESC: byValue('name', 'desc'),
  RUN_TIME_ASC: byValue('run_time', 'asc'),
  RUN_TIME_DESC: byValue('run_time', 'desc'),
  STATE_ASC: byState('asc'),
  STATE_DESC: byState('desc'),
};

const NO_WAIT = { reason: null, waits_until: null };

/**
 * A page ends early, possibly empty, when it has read many runs that do not match. Throws ValidationFailed when `after`
 * is not a position in this order.
 */
export async function readRunPage(
  context: Context,
  filters: RelatedFilters,
  { sort, ...page }: RunPageRequest & { readonly sort: RunListSort },
) {
  const { rows, next } = await finders[sort](context.db, filters, page);
  const waits = await readWaits(context, rows);
  const runs = rows.map((row) => ({ ...runRow(row, context.now), ...(waits.get(row.id) ?? NO_WAIT) }));
  return { as_of: context.now, runs, next };
}

/** Like `readRunPage`, for task runs. */
export async function readTaskRunPage(
  context: Context,
  filters: RelatedFilters,
  { sort, ...page }: RunPageRequest & { readonly sort: 'START_TIME_DESC' | 'START_TIME_ASC' },
) {
  const order = sort === 'START_TIME_ASC' ? 'oldest' : 'newest';
  const { rows, next } = await findRunsByStart(context.db, taskRunList, filters, { ...page, order });
  return { as_of: context.now, task_runs: rows.map((row) => taskRunRow(row, context.now)), next };
}

/** Flow runs that one view of several reads, where no sum counts them. */
const MOST_COUNTED = 5000;

interface CountedView {
  readonly where: readonly NarrowingCondition[];
  readonly start?: Timestamp | null | undefined;
  readonly end?: Timestamp | null | undefined;
}

/** The counts of saved views, one after the other, so that they take no more than their turn. */
export async function readCounts(context: Context, filters: RelatedFilters, views: readonly CountedView[]) {
  const counts: { readonly count: number; readonly counted_since: Timestamp | null }[] = [];
  for (const { where, start, end } of views) {
    const bounds = { ...(start && { after_: start }), ...(end && { before_: end }) };
    const own = start || end ? { start_time: bounds } : {};
    const within = { ...filters, flow_runs: { ...filters.flow_runs, ...own } };
    const narrowed = await narrow(context, flowRunNarrowing, within, where);
    const { count, counted_since } = await countRunsBriefly(context, narrowed, MOST_COUNTED);
    counts.push({ count, counted_since });
  }
  return { counts };
}

interface HistoryBounds {
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly intervals: number;
}

const NO_SUMS = { count: null, history: null, counted_since: null };

/** Nothing without bounds. */
export async function readRunSums(
  context: Context,
  runs: StartOrder,
  filters: RelatedFilters,
  bounds: HistoryBounds | null | undefined,
) {
  if (!bounds) return NO_SUMS;
  const { start, end, intervals } = bounds;
  // The last interval includes the end, as filters do.
  const intervalSeconds = Math.floor(secondsBetween(start, end) / intervals) + 1;
  return countRunsByStart(context, filters, { start, end, intervalSeconds }, runs);
}
