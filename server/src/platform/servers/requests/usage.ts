/** Counts the use of each capability by each caller and client. */
import { sql } from 'kysely';
import type { OrganizationContext } from '../../../context/platform-context.ts';
import { platformQuery } from '../../../database/statement.ts';
import { ValidationFailed } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { Page, PageQuery } from '../../page.ts';
import { conditionOf, type Servers, spanOf } from './filter.ts';
import { byInterval, daysOf, figuresOf } from './histogram.ts';
import { outcome } from './outcome.ts';
import type { RequestFilter, ServerClient, UsageGroup, UsageItem } from './schema.ts';
import { type Grouping, type SummaryRow, summarize } from './summaries.ts';

const MONTH_SECONDS = 30 * 86_400;

const groupings: Readonly<Record<Exclude<UsageGroup, 'day'>, Grouping>> = {
  owner: grouping(sql`actor_id`, { kind: sql`actor_type`, nameOf: 'records' }),
  capability: grouping(sql`capability`, { kind: sql`method` }),
  server: grouping(sql`server_id`, { nameOf: 'server' }),
  client: grouping(sql`client_name`),
};

function grouping(key: ReturnType<Grouping['key']>, rest: Partial<Grouping> = {}): Grouping {
  return { key: () => key, kind: sql`null`, nameOf: 'nothing', order: 'most requests first', ...rest };
}

/** The most used first, days latest first; covers the last 30 days unless the filter names a span. */
export function readUsage(
  { db, now }: OrganizationContext,
  servers: Servers,
  { groupBy, limit, cursor, ...given }: RequestFilter & PageQuery & { readonly groupBy: UsageGroup },
): Promise<Page<UsageItem>> {
  const filter = spanOf(given, now, MONTH_SECONDS);
  const days = daysOf(filter);
  const by = groupBy === 'day' ? byInterval(days) : groupings[groupBy];
  const keyOf = ({ key }: SummaryRow): string | null =>
    groupBy === 'day' ? days.starts[key as number]!.slice(0, 10) : (key as string | null);
  return readRanked(
    { limit, cursor },
    (position) => db.all(summarize, { servers, filter, grouping: by, ...position }),
    (row) => ({
      key: keyOf(row),
      name: row.name,
      kind: row.kind,
      ...figuresOf(row),
      requestBytes: row.request_bytes,
      responseBytes: row.response_bytes,
      lastAt: row.last,
    }),
  );
}

interface ClientRow {
  readonly client_name: string | null;
  readonly client_version: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly actors: number;
  readonly first: Timestamp;
  readonly last: Timestamp;
}

type Position = { readonly limit: number; readonly offset: number };

const listClients = platformQuery<Position & { servers: Servers; filter: Partial<RequestFilter> }, ClientRow>(
  (_query, { servers, filter, limit, offset }, dialect) =>
    sql`select client_name, client_version, count(*) as requests,
        count(case when ${outcome} <> 'ok' then 1 end) as errors, count(distinct actor_id) as actors,
        min(occurred) as first, max(occurred) as last
      from mcp_request where ${conditionOf(dialect, servers, filter)}
      group by client_name, client_version
      order by requests desc, ${dialect.orderBy(sql`client_name`, 'asc')}, ${dialect.orderBy(sql`client_version`, 'asc')}
      limit ${limit} offset ${offset}`,
  { readsMuch: true },
);

/** By name and version, the most used first; covers the last 30 days unless the query names a span. */
export function readClients(
  { db, now }: OrganizationContext,
  servers: Servers,
  { limit, cursor, ...given }: PageQuery & Pick<RequestFilter, 'since' | 'until'>,
): Promise<Page<ServerClient>> {
  const filter = spanOf(given, now, MONTH_SECONDS);
  return readRanked(
    { limit, cursor },
    (position) => db.all(listClients, { servers, filter, ...position }),
    ({ client_name, client_version, requests, errors, actors, first, last }) => ({
      name: client_name,
      version: client_version,
      requests,
      errors,
      actors,
      firstAt: first,
      lastAt: last,
    }),
  );
}

/** A page of rows that have a rank but no id. The cursor contains the number of rows before it. */
async function readRanked<Row, Item>(
  { limit, cursor }: { limit: number; cursor: string | undefined },
  read: (position: Position) => Promise<Row[]>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const offset = cursor === undefined ? 0 : rankOf(cursor);
  const rows = await read({ limit: limit + 1, offset });
  const next = rows.length > limit ? Buffer.from(`rank ${offset + limit}`).toString('base64url') : null;
  return { items: rows.slice(0, limit).map(itemOf), meta: { nextCursor: next, limit } };
}

function rankOf(cursor: string): number {
  const [, digits] = /^rank (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new ValidationFailed([
    { type: 'value_error', loc: ['query', 'cursor'], msg: 'This is not a cursor of a list.' },
  ]);
}
