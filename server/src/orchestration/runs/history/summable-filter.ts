/** Filters on flow runs that only have states and a time span, so that stored sums answer them (run-sums.ts). */
import type { EqualIntervals } from '../../../database/dialect/dialect.ts';
import { addMicroseconds, type Timestamp } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import type { SummedSpan } from './run-sums.ts';

export interface SummableFilter {
  /** The part of the filters that concerns states. */
  readonly states: RelatedFilters;
  /** True when the filters only have types of states, so that there are few shapes of the query. */
  readonly recurs: boolean;
  /** Start of the span: expected or started at this time or later. */
  readonly after: Timestamp | undefined;
  /** End of the span: expected or started at this time or earlier. */
  readonly before: Timestamp | undefined;
}

/**
 * Undefined when the filters have criteria other than states and bounds of `timeField`, or combine the two by `or_`.
 */
export function summableFilter(
  filters: RelatedFilters,
  timeField: 'expected_start_time' | 'start_time',
  resource: 'flow_runs' | 'task_runs' = 'flow_runs',
): SummableFilter | undefined {
  const { [resource]: own, ...others } = given(filters);
  if (Object.keys(others).length > 0) return undefined;
  const { operator, state, [timeField]: time, ...more } = given(own);
  if (Object.keys(more).length > 0 || (operator === 'or_' && state && time)) return undefined;
  const { after_: after, before_: before, ...beyond } = given(time) as Record<string, Timestamp>;
  if (Object.keys(beyond).length > 0) return undefined;
  const { type: _type, operator: _operator, ...beyondTypes } = given(state);
  const recurs = Object.keys(beyondTypes).length === 0;
  return { states: state ? { [resource]: { state } } : {}, recurs, after, before };
}

/** The part of the intervals that the filter selects; undefined when it is empty. Expects at least one interval. */
export function spanWithin(intervals: EqualIntervals, { after, before }: SummableFilter): SummedSpan | undefined {
  const [first, last] = [intervals.starts[0]!, intervals.starts.at(-1)!];
  const ends = addMicroseconds(last, intervals.lengthMicroseconds);
  const from = after !== undefined && after > first ? after : first;
  const until = before !== undefined && before < ends ? addMicroseconds(before, 1) : ends;
  return from < until ? { intervals, from, until } : undefined;
}

/** The fields that are neither null nor absent. */
function given(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries((value ?? {}) as object).filter(([, field]) => field !== null && field !== undefined),
  );
}
