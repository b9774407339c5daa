/** Sums of records by group, in one pass over them. */
import { type RawBuilder, sql } from 'kysely';
import type { Expression, SqlDialect } from '../../../database/dialect/dialect.ts';
import { platformQuery } from '../../../database/statement.ts';
import type { Timestamp } from '../../../values/time.ts';
import { conditionOf, type Servers } from './filter.ts';
import { outcome } from './outcome.ts';
import type { RequestFilter } from './schema.ts';

/** The way in which records are grouped. Null is a value like others. */
export interface Grouping {
  key(dialect: SqlDialect): Expression;
  /** A second part of the key. */
  readonly kind: Expression;
  /** The source of the group's name: its records, or the server with the id `key`. */
  readonly nameOf: 'records' | 'server' | 'nothing';
  readonly order: 'most requests first' | 'latest key first';
}

export interface SummaryRow {
  readonly key: string | number | null;
  readonly kind: string | null;
  readonly name: string | null;
  readonly requests: number;
  readonly denied: number;
  readonly invalid: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly last: Timestamp;
}

interface Asked {
  readonly servers: Servers;
  readonly filter: RequestFilter;
  readonly grouping: Grouping;
  readonly limit: number;
  readonly offset: number;
}

const EXACT_BELOW = 100;
const LONGEST_MICROSECONDS = 1e11;

/**
 * Rounded down by at most 2 %, in steps of 2, 5 and 10 hundredths of its power of ten, so that a million durations have
 * some hundred values. A stream has no duration: it is open for as long as its client wants, which says nothing about
 * the server.
 */
const duration = sql`case when method in ('GET', 'subscriptions/listen') then null ${sql.join(steps(), sql` `)}
  else ${sql.lit(LONGEST_MICROSECONDS)} end`;

function steps(): RawBuilder<unknown>[] {
  const value = sql.ref('duration_microseconds');
  const found = [sql`when ${value} < ${sql.lit(EXACT_BELOW)} then ${value}`];
  for (let power = EXACT_BELOW; power < LONGEST_MICROSECONDS; power *= 10) {
    for (const [below, parts] of [
      [2, 2],
      [5, 5],
      [10, 10],
    ] as const) {
      const step = sql.lit((power * parts) / 100);
      found.push(sql`when ${value} < ${sql.lit(power * below)} then ${value} / ${step} * ${step}`);
    }
  }
  return found;
}

const names = {
  records: sql`max(name)`,
  server: sql`(select mcp_server.name from mcp_server where mcp_server.id = running.key)`,
  nothing: sql`null`,
};

/** First counts the records of a group by duration, so that the sort handles only the distinct durations. */
export const summarize = platformQuery<Asked, SummaryRow>(
  (_query, given, dialect) => {
    const { servers, filter, grouping, limit, offset } = given;
    const order =
      grouping.order === 'latest key first'
        ? sql`key desc`
        : sql`requests desc, ${dialect.orderBy(sql`key`, 'asc')}, ${dialect.orderBy(sql`kind`, 'asc')}`;
    return sql`with grouped as (
      select ${grouping.key(dialect)} as key, ${grouping.kind} as kind, ${duration} as duration,
        ${outcome} as outcome, actor_name as name, request_bytes, response_bytes, occurred
      from mcp_request where ${conditionOf(dialect, servers, filter)}
    ), counted as (
      select key, kind, duration, count(*) as requests, count(duration) as timed, max(name) as name,
        count(case when outcome = 'denied' then 1 end) as denied,
        count(case when outcome = 'invalid' then 1 end) as invalid,
        count(case when outcome = 'failed' then 1 end) as failed,
        sum(request_bytes) as request_bytes, sum(response_bytes) as response_bytes, max(occurred) as last
      from grouped group by key, kind, duration
    ), running as (
      select counted.*, sum(timed) over (partition by key, kind order by duration) as upto,
        sum(timed) over (partition by key, kind) as total
      from counted
    )
    select key, kind, ${names[grouping.nameOf]} as name, sum(requests) as requests, sum(denied) as denied,
      sum(invalid) as invalid, sum(failed) as failed,
      min(case when upto * 100 >= total * 50 then duration end) as p50,
      min(case when upto * 100 >= total * 95 then duration end) as p95,
      sum(request_bytes) as request_bytes, sum(response_bytes) as response_bytes, max(last) as last
    from running group by key, kind order by ${order} limit ${limit} offset ${offset}`;
  },
  { readsMuch: true },
);
