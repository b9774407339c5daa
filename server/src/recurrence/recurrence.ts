/**
 * Counts something that happens again and again: the cause of failed runs, or of failed requests. People mute it, mark it
 * as resolved and take it over, and it comes back when it happens again.
 */
import { sql } from 'kysely';
import type { Condition } from '../database/dialect/dialect.ts';
import type { Row } from '../database/tables/tables.ts';
import { type JsonText, jsonTextOf, parseJson } from '../values/json.ts';
import { secondsBetween, type Timestamp } from '../values/time.ts';

export type Recurring = Omit<
  Row<'mcp_failure_cause'>,
  'id' | 'created' | 'updated' | 'server_id' | 'failure' | 'last_text'
>;

/** `new` and `again` differ by its age, `regressed` came after it was resolved. */
export const standings = ['new', 'again', 'regressed', 'muted', 'resolved'] as const;
type Standing = (typeof standings)[number];

/** The change that further times make for people. */
type Recurrence = 'created' | 'repeated' | 'regressed';

/** Days that are kept; older ones are only in the count. */
export const MOST_DAYS = 30;
const NEW_SECONDS = 86_400;
const DAY_LENGTH = '2026-11-29'.length;

/** Before its first time. */
export function neverSeen(at: Timestamp): Recurring {
  return {
    first_seen: at,
    last_seen: at,
    count: 0,
    days: '[]' as JsonText,
    resolved: null,
    regressed: null,
    muted_until: null,
    muted_until_count: null,
    owner_id: null,
    owner_name: null,
  };
}

/** The columns after it happened at `times`, at least one. `what` is undefined if nobody wants to hear of it. */
export function seenAt(
  before: Recurring,
  times: readonly Timestamp[],
  now: Timestamp,
): { readonly after: Recurring; readonly what: Recurrence | undefined } {
  const seen = spanOf(before.count === 0 ? times : [...times, before.first_seen, before.last_seen]);
  const { last } = spanOf(times);
  const count = before.count + times.length;
  const regresses = before.resolved !== null && last > before.resolved;
  const isHeardAgain = before.muted_until_count !== null && count >= before.muted_until_count;
  const after: Recurring = {
    ...before,
    first_seen: seen.first,
    last_seen: seen.last,
    count,
    days: withDays(before.days, times),
    ...(regresses && { resolved: null, regressed: last }),
    ...(isHeardAgain && { muted_until_count: null }),
  };
  const standing = standingOf(after, now);
  if (standing === 'muted' || standing === 'resolved') return { after, what: undefined };
  if (before.count === 0) return { after, what: 'created' };
  return { after, what: regresses ? 'regressed' : 'repeated' };
}

/** The columns without some of its times, which belong to another cause. */
export function unseen(before: Recurring, times: readonly Timestamp[]): Recurring {
  return { ...before, count: before.count - times.length, days: withDays(before.days, times, -1) };
}

/** The first and the last of some times, at least one. */
export function spanOf(times: readonly Timestamp[]): { readonly first: Timestamp; readonly last: Timestamp } {
  const sorted = times.toSorted();
  return { first: sorted[0]!, last: sorted.at(-1)! };
}

export function standingOf(
  { resolved, regressed, muted_until, muted_until_count, first_seen }: Recurring,
  now: Timestamp,
): Standing {
  if (resolved !== null) return 'resolved';
  if (muted_until_count !== null || (muted_until !== null && muted_until > now)) return 'muted';
  if (regressed !== null) return 'regressed';
  return secondsBetween(first_seen, now) < NEW_SECONDS ? 'new' : 'again';
}

/** The lists in which a cause can stand. */
export const shelves = ['open', 'muted', 'resolved'] as const;
export type Shelf = (typeof shelves)[number];

/** True for rows of `table` that stand there, as `standingOf` says. */
export function standsIn(table: string, shelf: Shelf, now: Timestamp): Condition {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  if (shelf === 'resolved') return sql<boolean>`${column('resolved')} is not null`;
  const isMuted = sql<boolean>`(${column('muted_until_count')} is not null or
    coalesce(${column('muted_until')} > ${now}, false))`;
  return sql<boolean>`(${column('resolved')} is null and ${shelf === 'muted' ? isMuted : sql`not ${isMuted}`})`;
}

interface Day {
  readonly day: string;
  readonly count: number;
}

/** The newest days, oldest first. Days without a count are left out. */
export function daysOf(stored: JsonText): Day[] {
  return (parseJson(stored) as [string, number][]).map(([day, count]) => ({ day, count }));
}

function withDays(stored: JsonText, times: readonly Timestamp[], change: 1 | -1 = 1): JsonText {
  const counts = new Map(parseJson(stored) as [string, number][]);
  for (const time of times) {
    const day = time.slice(0, DAY_LENGTH);
    counts.set(day, (counts.get(day) ?? 0) + change);
  }
  const left = [...counts].filter(([, count]) => count > 0);
  return jsonTextOf(left.sort(([one], [other]) => (one < other ? -1 : 1)).slice(-MOST_DAYS));
}

/** The change that a person asks for. Parts that are absent stay. */
interface RecurringChange {
  readonly resolved?: boolean;
  /** Null ends both ways of muting. */
  readonly muted_until?: Timestamp | null;
  /** Muted until it has come so many times more. */
  readonly muted_for?: number | null;
  /** Null when nobody owns it. */
  readonly owner?: { readonly id: string; readonly name: string } | null;
}

export function changed(before: Recurring, change: RecurringChange, now: Timestamp): Partial<Recurring> {
  const { resolved, muted_until, muted_for, owner } = change;
  const mutes = muted_until !== undefined || muted_for !== undefined;
  return {
    ...(resolved !== undefined && { resolved: resolved ? (before.resolved ?? now) : null }),
    // A cause that is resolved anew has not come again.
    ...(resolved === true && { regressed: null }),
    ...(mutes && {
      muted_until: muted_until ?? null,
      muted_until_count: muted_for == null ? null : before.count + muted_for,
    }),
    ...(owner !== undefined && { owner_id: owner?.id ?? null, owner_name: owner?.name ?? null }),
  };
}
