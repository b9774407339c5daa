/** Runs in the order of the types of their states; the latest runs of each type first. */
import { sql } from 'kysely';
import type { Condition } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { type StateType, stateTypes } from '../../filters/field-schema.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { type RunPageRequest, type RunsFound, wrongPosition } from './run-page.ts';
import type { RunPosition } from './run-position.ts';
import { flowRunList, type StoredRunRow } from './run-row.ts';
import { findRunsByStart, startPosition } from './runs-by-start.ts';

interface StatePage extends RunPageRequest {
  readonly direction: 'asc' | 'desc';
}

/** Alphabetical order of the types; runs without a state come last in both directions. */
const types = [...stateTypes].toSorted();

export async function findRunsByState(
  db: Db,
  filters: RelatedFilters,
  page: StatePage,
): Promise<RunsFound<StoredRunRow>> {
  const { direction, limit, after } = page;
  if (after && after.state_type === undefined) return wrongPosition('state_type');
  const all = [...(direction === 'asc' ? types : types.toReversed()), null];
  const parts = after ? all.slice(all.indexOf(after.state_type ?? null)) : all;
  const rows: StoredRunRow[] = [];
  for (const [index, type] of parts.entries()) {
    if (!(await hasRuns(db, type))) continue;
    const last = rows.at(-1);
    if (last && rows.length === limit) return { rows, next: positionOf(last) };
    const part = { order: 'newest', limit: limit - rows.length, state: isOf(type) } as const;
    const found = await findRunsByStart(db, flowRunList, filters, { ...part, after: index === 0 ? after : null });
    rows.push(...found.rows);
    if (found.next) return { rows, next: { ...found.next, state_type: type } };
  }
  return { rows, next: null };
}

function positionOf(run: StoredRunRow): RunPosition {
  return { ...startPosition(flowRunList, run), state_type: run.state_type as StateType | null };
}

function isOf(type: StateType | null): Condition {
  return type === null ? sql<boolean>`flow_run.state_type is null` : sql<boolean>`flow_run.state_type = ${type}`;
}

/** Types without runs are skipped, which reading a window of runs for each would not detect. */
async function hasRuns(db: Db, type: StateType | null): Promise<boolean> {
  const found = await db.query(
    sql`select 1 as found from flow_run where flow_run."workspace" = ${db.workspace} and ${isOf(type)} limit 1`,
  );
  return found.length > 0;
}
