/**
 * Runs in the order of their name or run time. If the filters leave few runs, those are read and sorted. Otherwise the
 * index in that order is read in growing steps until the page is full, up to a limit for one request.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { flowRunCondition, type RelatedFilters } from '../../filters/related-conditions.ts';
import { findReadWindow, rowCost } from '../../runs/history/read-window.ts';
import { listRunRows, type RunPageRequest, type RunsFound, wrongPosition } from './run-page.ts';
import type { RunPosition } from './run-position.ts';
import { flowRunList, NAME_LENGTH, type StoredRunRow } from './run-row.ts';

interface ValueOrder {
  readonly by: 'name' | 'run_time';
  readonly direction: 'asc' | 'desc';
}

const columns = { name: sql.ref('flow_run.name'), run_time: sql.ref('flow_run.total_run_time') } as const;
/** Runs in each step. Together they take up to 0.05 s when none matches. */
const STEPS = [500, 2500, 7000];

export async function findRunsByValue(
  db: Db,
  filters: RelatedFilters,
  { limit, after, ...order }: RunPageRequest & ValueOrder,
): Promise<RunsFound<StoredRunRow>> {
  if (after && (after[order.by] ?? null) === null) return wrongPosition(order.by);
  const window = await findReadWindow(db, flowRunList.runs, filters, { order: 'newest', beyond: always, counts: true });
  const begin = after ?? undefined;
  const isSmall = window.end === undefined;
  return isSmall ? sortFew(db, window.condition, { limit, begin, order }) : walk(db, filters, { limit, begin, order });
}

interface Place {
  readonly limit: number;
  /** The last run of the previous page. */
  readonly begin: RunPosition | undefined;
  readonly order: ValueOrder;
}

async function sortFew(db: Db, matching: Condition, { limit, begin, order }: Place): Promise<RunsFound<StoredRunRow>> {
  // Otherwise the databases may read the index in this order for the few runs.
  const few = sql`(with few as materialized (
      select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace} and ${matching}
    ) select id from few)`;
  const found = await listRunRows(db, flowRunList, {
    from: sql`${few} few ${db.dialect.joinInOrder} flow_run on flow_run.id = few.id`,
    condition: beyond(begin, order),
    sorted: sortedBy(order),
    limit: limit + 1,
  });
  return pageOf(db, found, limit, order);
}

async function walk(db: Db, filters: RelatedFilters, { limit, begin, order }: Place): Promise<RunsFound<StoredRunRow>> {
  const found: StoredRunRow[] = [];
  const matching = flowRunCondition(filters, db.dialect);
  const cost = rowCost(filters);
  let from = begin;
  for (const places of STEPS) {
    const steps = Math.ceil(places / cost);
    const until = await positionAfter(db, from, steps, order);
    const step = sql`(select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace}
      and ${and([beyond(from, order), until ? upTo(until, order) : always])}
      order by ${sortedBy(order)} limit ${steps})`;
    const rows = await listRunRows(db, flowRunList, {
      from: sql`${step} step ${db.dialect.joinInOrder} flow_run on flow_run.id = step.id`,
      condition: matching,
      sorted: sortedBy(order),
      limit: limit + 1 - found.length,
    });
    found.push(...rows);
    if (found.length > limit || !until) return pageOf(db, found, limit, order);
    from = until;
  }
  return { rows: found, next: from ?? null };
}

async function pageOf(
  db: Db,
  found: StoredRunRow[],
  limit: number,
  order: ValueOrder,
): Promise<RunsFound<StoredRunRow>> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last ? await positionOf(db, last, order) : null };
}

/** Rows contain only the beginning of a long name. */
async function positionOf(db: Db, run: StoredRunRow, { by }: ValueOrder): Promise<RunPosition> {
  const { id, name } = run;
  if (by === 'run_time') return { id, run_time: run.total_run_time };
  if (name.length < NAME_LENGTH) return { id, name };
  const [whole] = await db.query(
    sql<{ name: string }>`select flow_run.name from flow_run
      where flow_run."workspace" = ${db.workspace} and flow_run.id = ${id}`,
  );
  return { id, name: whole?.name ?? name };
}

/** The run that is this many places after `from`; undefined when there are fewer. */
async function positionAfter(
  db: Db,
  from: RunPosition | undefined,
  places: number,
  order: ValueOrder,
): Promise<RunPosition | undefined> {
  const [found] = await db.query(
    sql<RunPosition>`select flow_run.id, ${columns[order.by]} as ${sql.ref(order.by)} from flow_run
      where flow_run."workspace" = ${db.workspace} and ${beyond(from, order)}
      order by ${sortedBy(order)} limit 1 offset ${places - 1}`,
  );
  return found;
}

function sortedBy({ by, direction }: ValueOrder): Expression {
  return sql`${columns[by]} ${sql.raw(direction)}, flow_run.id ${sql.raw(direction)}`;
}

function beyond(position: RunPosition | undefined, { by, direction }: ValueOrder): Condition {
  if (!position) return always;
  const sign = sql.raw(direction === 'asc' ? '>' : '<');
  return sql<boolean>`(${columns[by]}, flow_run.id) ${sign} (${position[by]}, ${position.id})`;
}

function upTo(position: RunPosition, { by, direction }: ValueOrder): Condition {
  const sign = sql.raw(direction === 'asc' ? '<=' : '>=');
  return sql<boolean>`(${columns[by]}, flow_run.id) ${sign} (${position[by]}, ${position.id})`;
}
