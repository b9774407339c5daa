import { sql } from 'kysely';
import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { EqualIntervals } from '../../../database/dialect/dialect.ts';
import { addMicroseconds, microsecondsOf, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { type Servers, spanOf } from './filter.ts';
import type { Histogram, RequestFilter } from './schema.ts';
import { type Grouping, type SummaryRow, summarize } from './summaries.ts';

const DAY_SECONDS = 86_400;

/** Covers the last day unless the filter names a span. */
export async function readHistogram(
  { db, now }: OrganizationContext,
  servers: Servers,
  { buckets, ...given }: RequestFilter & { readonly buckets: number },
): Promise<Histogram> {
  const filter = spanOf(given, now, DAY_SECONDS);
  const intervals = cut(filter, buckets);
  const limit = intervals.starts.length;
  const rows = await db.all(summarize, { servers, filter, grouping: byInterval(intervals), limit, offset: 0 });
  const found = new Map(rows.map((row) => [row.key, row]));
  return {
    items: intervals.starts.map((start, index) => ({ start, ...figuresOf(found.get(index)) })),
    meta: { since: filter.since, until: filter.until, bucketSeconds: intervals.lengthMicroseconds / 1e6 },
  };
}

/** Uses whole microseconds, so the last bucket may end a little after the span. */
function cut({ since, until }: { since: Timestamp; until: Timestamp }, buckets: number): EqualIntervals {
  const microseconds = microsecondsOf(until) - microsecondsOf(since);
  const lengthMicroseconds = Math.ceil(microseconds / buckets);
  const count = Math.ceil(microseconds / lengthMicroseconds);
  const starts = Array.from({ length: count }, (_, index) => addMicroseconds(since, index * lengthMicroseconds));
  return { starts, lengthMicroseconds };
}

/** The UTC days that the span touches. */
export function daysOf({ since, until }: { since: Timestamp; until: Timestamp }): EqualIntervals {
  const first = `${since.slice(0, 10)}T00:00:00.000000Z` as Timestamp;
  const lengthMicroseconds = DAY_SECONDS * 1e6;
  const count = Math.ceil(secondsBetween(first, until) / DAY_SECONDS);
  const starts = Array.from({ length: count }, (_, index) => addMicroseconds(first, index * lengthMicroseconds));
  return { starts, lengthMicroseconds };
}

export function byInterval(intervals: EqualIntervals): Grouping {
  return {
    key: (dialect) => dialect.intervalOf(sql`occurred`, intervals),
    kind: sql`null`,
    nameOf: 'nothing',
    order: 'latest key first',
  };
}

/** The figures of a group in both views; zeros if it has no records. */
export function figuresOf(row: SummaryRow | undefined) {
  const { requests, denied, invalid, failed, p50, p95 } = row ?? nothing;
  const ok = requests - denied - invalid - failed;
  return { requests, ok, denied, invalid, failed, p50Microseconds: p50, p95Microseconds: p95 };
}

const nothing = { requests: 0, denied: 0, invalid: 0, failed: 0, p50: null, p95: null };
