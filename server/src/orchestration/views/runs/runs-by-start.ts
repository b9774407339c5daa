/** Runs in the order of their start, or of their expected start before that. */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { FIRST_ID, LAST_ID } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';
import { effectiveStart } from '../../filters/flow-run-filter.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { findReadWindow } from '../../runs/history/read-window.ts';
import { listRunRows, type RunPageRequest, type RunsFound, wrongPosition } from './run-page.ts';
import type { StoredRunRow } from './run-row.ts';
import type { RunPosition } from './runs-schema.ts';

type RunOrder = 'newest' | 'oldest';

interface StartPage extends RunPageRequest {
  readonly order: RunOrder;
  /** The only wanted state, in addition to the filters. */
  readonly state?: Condition;
}

/** Reads one row more than the page has, to detect a next page. */
export async function findRunsByStart(db: Db, filters: RelatedFilters, page: StartPage): Promise<RunsFound> {
  const { order, limit, after, state } = page;
  const found: StoredRunRow[] = [];
  let end: Timestamp | undefined;
  for (const beyond of partsBeyond(after, order)) {
    const missing = limit + 1 - found.length;
    if (missing === 0 || end !== undefined) break;
    const window = await findReadWindow(db, filters, { order, beyond, counts: false, isOfOneState: !!state });
    end = window.end;
    const condition = and([window.condition, beyond, state ?? always]);
    found.push(...(await listRunRows(db, { sorted: sortedBy(db, order), limit: missing, condition })));
  }
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last ? startPosition(last) : afterAll(end, order) };
}

export function startPosition(run: StoredRunRow): RunPosition {
  return { id: run.id, start: run.start_time ?? run.expected_start_time };
}

/** The position after all runs that start at `time`. */
function afterAll(time: Timestamp | undefined, order: RunOrder): RunPosition | null {
  return time === undefined ? null : { id: order === 'newest' ? FIRST_ID : LAST_ID, start: time };
}

function sortedBy({ dialect }: Db, order: RunOrder): Expression {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return sql`${dialect.orderBy(effectiveStart, direction)}, flow_run.id ${sql.raw(direction)}`;
}

/**
 * The runs beyond a position, in parts that are read one after the other. Runs without any start are older than all
 * others, as the databases sort them; a separate part for them lets an index find both.
 */
function partsBeyond(after: RunPosition | null | undefined, order: RunOrder): Condition[] {
  if (!after) return [always];
  const { start, id } = after;
  if (start === undefined) return wrongPosition('start');
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
