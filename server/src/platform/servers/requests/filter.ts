/** The condition that selects records. Server and id, the key of the table, give the span of time. */
import { sql } from 'kysely';
import { and, type Condition, type SqlDialect } from '../../../database/dialect/dialect.ts';
import { whereConditions } from '../../../database/lists/where.ts';
import { ValidationFailed } from '../../../errors.ts';
import { firstIdAt } from '../../../values/id.ts';
import { addSeconds, microsecondsOf, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { requestFields } from './fields.ts';
import { outcome } from './outcome.ts';
import type { RequestFilter } from './schema.ts';

/** One server, several servers, or all of an organization. Records of a deleted server belong to no server. */
export type Servers =
  | { readonly server_id: string }
  | { readonly server_ids: readonly string[] }
  | { readonly organization_id: string };

const MAX_SPAN_SECONDS = 366 * 86_400;

/** Refuses a span that ends before it begins. */
export function checkSpan({ since, until }: Pick<RequestFilter, 'since' | 'until'>): void {
  if (since !== undefined && until !== undefined && since >= until) refuse('since', 'must be before until');
}

/** Summaries cover a span with a start and an end, at most a year apart. */
export function spanOf<Given extends Pick<RequestFilter, 'since' | 'until'>>(
  given: Given,
  now: Timestamp,
  fallbackSeconds: number,
): Given & { since: Timestamp; until: Timestamp } {
  const until = given.until ?? now;
  const since = given.since ?? addSeconds(until, -fallbackSeconds);
  checkSpan({ since, until });
  if (secondsBetween(since, until) > MAX_SPAN_SECONDS) refuse('since', 'must be at most 366 days before until');
  return { ...given, since, until };
}

export function conditionOf(dialect: SqlDialect, servers: Servers, filter: Partial<RequestFilter>): Condition {
  const conditions: Condition[] = [among(dialect, servers)];
  const { since, until, actorId, method, capability, status, decision, session, client } = filter;
  if (since !== undefined) conditions.push(sql`id >= ${firstIdAt(microsecondsOf(since))}`);
  if (until !== undefined) conditions.push(sql`id < ${firstIdAt(microsecondsOf(until))}`);
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`);
  if (method !== undefined) conditions.push(sql`method = ${method}`);
  if (capability !== undefined) conditions.push(sql`capability = ${capability}`);
  if (status !== undefined) conditions.push(sql`status / 100 = ${sql.lit(Number(status[0]))}`);
  if (decision !== undefined) conditions.push(sql`decision = ${decision}`);
  if (filter.outcome !== undefined) conditions.push(sql`${outcome} = ${filter.outcome}`);
  if (filter.errors) conditions.push(sql`${outcome} <> 'ok'`);
  if (session !== undefined) conditions.push(sql`session = ${session}`);
  if (client !== undefined) conditions.push(sql`client_name = ${client}`);
  if (filter.newestSince !== undefined) conditions.push(sql`id >= ${firstIdAt(microsecondsOf(filter.newestSince))}`);
  if (filter.where) conditions.push(...whereConditions(filter.where, requestFields, dialect));
  return and(conditions);
}

function among(dialect: SqlDialect, servers: Servers): Condition {
  if ('server_id' in servers) return sql`server_id = ${servers.server_id}`;
  if ('server_ids' in servers) return dialect.oneOf(sql`server_id`, servers.server_ids, 'uuid');
  return dialect.isAmong(
    sql`server_id`,
    sql`select mcp_server.id from mcp_server where organization_id = ${servers.organization_id}`,
  );
}

function refuse(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['query', field], msg }]);
}
