/** Lateness of flow runs: the time from the expected start to the start, or until now. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { microsecondsOf } from '../../../values/time.ts';
import { flowRunCondition, type RelatedFilters } from '../../filters/related-conditions.ts';
import { latenessOf } from '../rows/run-estimates.ts';
import { secondsIn, summedRuns } from './run-sums.ts';
import { type SummableFilter, spanWithin, summableFilter } from './summable-filter.ts';

/** Mean lateness of the matching flow runs in seconds, those on time counting as 0; null when none matches. */
export async function readFlowRunLateness(context: Context, filters: RelatedFilters): Promise<number | null> {
  const { db, now } = context;
  const summable = summableFilter(filters, 'expected_start_time');
  const span = summable && spanOf(summable);
  const condition = flowRunCondition(span ? summable.states : filters, db.dialect);
  const [row] = await db.query(
    span
      ? sql<{
          lateness: number | null;
        }>`select ${secondsIn('lateness_microseconds')} / nullif(sum(count_runs), 0) as lateness
          from (${summedRuns(db, span, { placedBy: 'expected_start', condition, now, withStateless: true })}) run`
      : sql<{ lateness: number | null }>`select avg(${latenessOf('flow_run', now, db.dialect)}) as lateness
          from flow_run where flow_run."workspace" = ${db.workspace} and ${condition}`,
    { recurs: span !== undefined && summable?.recurs === true },
  );
  return row?.lateness ?? null;
}

/** Undefined when a bound is missing: then runs without an expected start count too. */
function spanOf(filter: SummableFilter) {
  const { after, before } = filter;
  if (after === undefined || before === undefined || after > before) return undefined;
  return spanWithin(
    { starts: [after], lengthMicroseconds: microsecondsOf(before) - microsecondsOf(after) + 1 },
    filter,
  );
}
