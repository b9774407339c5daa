/** Runs in the order of their start. */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { FIRST_ID, LAST_ID } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { findReadWindow } from '../../runs/history/read-window.ts';
import type { StartOrder } from '../../runs/history/start-order.ts';
import { listRunRows, type RunList, type RunPageRequest, type RunsFound, wrongPosition } from './run-page.ts';
import type { RunPosition } from './run-position.ts';

type RunOrder = 'newest' | 'oldest';

interface StartPage extends RunPageRequest {
  readonly order: RunOrder;
  /** The only wanted state, in addition to the filters. */
  readonly state?: Condition;
}

/** Reads one row more than the page has, to detect a next page. */
export async function findRunsByStart<Row extends { readonly id: string }>(
  db: Db,
  list: RunList<Row>,
  filters: RelatedFilters,
  page: StartPage,
): Promise<RunsFound<Row>> {
  const { runs } = list;
  const { order, limit, after, state } = page;
  const found: Row[] = [];
  let end: Timestamp | undefined;
  for (const beyond of partsBeyond(runs, after, order)) {
    const missing = limit + 1 - found.length;
    if (missing === 0 || end !== undefined) break;
    const window = await findReadWindow(db, runs, filters, { order, beyond, counts: false, isOfOneState: !!state });
    end = window.end;
    const condition = and([window.condition, beyond, state ?? always]);
    found.push(...(await listRunRows(db, list, { sorted: sortedBy(db, runs, order), limit: missing, condition })));
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last ? startPosition(list, last) : afterAll(end, order) };
}

export function startPosition<Row extends { readonly id: string }>({ startOf }: RunList<Row>, run: Row): RunPosition {
  return { id: run.id, start: startOf(run) };
}

/** The position after all runs that start at `time`. */
function afterAll(time: Timestamp | undefined, order: RunOrder): RunPosition | null {
  return time === undefined ? null : { id: order === 'newest' ? FIRST_ID : LAST_ID, start: time };
}

function sortedBy({ dialect }: Db, { table, start }: StartOrder, order: RunOrder): Expression {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return sql`${dialect.orderBy(start, direction)}, ${sql.ref(`${table}.id`)} ${sql.raw(direction)}`;
}

/**
 * The runs beyond a position, in parts that are read one after the other. Runs without any start are older than all
 * others, as the databases sort them; a separate part for them lets an index find both.
 */
function partsBeyond(
  { table, start: begins }: StartOrder,
  after: RunPosition | null | undefined,
  order: RunOrder,
): Condition[] {
  if (!after) return [always];
  const ownId = sql.ref(`${table}.id`);
  const { start, id } = after;
  if (start === undefined) return wrongPosition('start');
  const unstarted = sql<boolean>`${begins} is null`;
  if (order === 'newest') {
    if (start === null) return [sql<boolean>`(${unstarted} and ${ownId} < ${id})`];
    return [sql<boolean>`(${begins} <= ${start} and (${begins} < ${start} or ${ownId} < ${id}))`, unstarted];
  }
  if (start === null) {
    return [sql<boolean>`(${unstarted} and ${ownId} > ${id})`, sql<boolean>`${begins} is not null`];
  }
  return [sql<boolean>`(${begins} >= ${start} and (${begins} > ${start} or ${ownId} > ${id}))`];
}
