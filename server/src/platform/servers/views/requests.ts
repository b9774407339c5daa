import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Where } from '../../../database/lists/where.ts';
import type { FieldValues } from '../../../database/lists/where-schema.ts';
import type { Position } from '../../../database/rows.ts';
import type { PlatformDb } from '../../../database/store.ts';
import { firstIdAt, LAST_ID } from '../../../values/id.ts';
import { microsecondsOf, type Timestamp } from '../../../values/time.ts';
import { cursorOf, idOfCursor, type PageQuery, readPage } from '../../page.ts';
import { readRequestConditions } from '../requests/fields.ts';
import { spanOf } from '../requests/filter.ts';
import { readHistogram } from '../requests/histogram.ts';
import { endOfNewest, MOST_COUNTED, MOST_SEARCHED } from '../requests/newest.ts';
import { listRequestsOfServers, requestOf } from '../requests/queries.ts';
import type { RequestFilter, UsageGroup } from '../requests/schema.ts';
import { readUsage } from '../requests/usage.ts';
import { readRequestValues } from '../requests/values.ts';
import { serverFor } from '../server/access.ts';
import { listedRole } from '../server/answers.ts';
import { listServerNames } from '../server/queries.ts';
import { DAY_SECONDS, mayEdit } from './catalog.ts';
import { linesOfRequests } from './export-requests.ts';
import type { RequestsExportQuery, RequestsFilter, RequestsQuery, RequestsView, RequestValuesQuery } from './schema.ts';

const MAX_SERVERS = 200;
const MOST_USED = 10;

type NamedServer = RequestsView['servers'][number];

interface Asked {
  /** All servers whose requests the caller may read. */
  readonly readable: readonly NamedServer[];
  /** The readable servers whose requests are asked for. */
  readonly server_ids: readonly string[];
  readonly filter: RequestFilter & { readonly since: Timestamp; readonly until: Timestamp };
}

/**
 * The requests to the servers that the caller edits, in a span: a day unless the query names one. Leaves out the
 * conditions on the field whose values are `counted`.
 */
async function readAsked(context: OrganizationContext, query: RequestsFilter, counted?: string): Promise<Asked> {
  const { organization, caller, db } = context;
  const { server, where, ...given } = query;
  const conditions = readRequestConditions(where).filter(({ field }) => field !== counted);
  const filter = spanOf(given, context.now, DAY_SECONDS);
  const names = await db.all(listServerNames, {
    organization_id: organization.id,
    actor_id: caller.actor.id,
    limit: MAX_SERVERS,
  });
  const readable = names.filter((row) => mayEdit(listedRole(context, row)));
  const named = server === undefined ? readable : [await serverFor(context, server, 'editor')];
  return {
    readable: readable.map(({ id, slug, name }) => ({ id, slug, name })),
    server_ids: named.filter((one) => isWanted(one, conditions)).map(({ id }) => id),
    filter: { ...filter, where: conditions.filter(({ field }) => field !== 'server') },
  };
}

/** Conditions on servers choose among the readable ones, by id or slug. */
function isWanted({ id, slug }: NamedServer, where: Where): boolean {
  return where
    .filter(({ field }) => field === 'server')
    .every(({ not, values }) => not !== values.some((value) => [id, slug].includes(value.toLowerCase())));
}

export async function readRequestsView(context: OrganizationContext, query: RequestsQuery): Promise<RequestsView> {
  const { limit, cursor, buckets, ...given } = query;
  const { readable, server_ids, filter } = await readAsked(context, given);
  const [requests, summary] = await Promise.all([
    readRequestPage(context.db, { server_ids, filter }, { limit, cursor }),
    cursor === undefined ? readSummary(context, server_ids, filter, buckets) : null,
  ]);
  return {
    servers: [...readable],
    requests: { items: [...requests.items], meta: requests.meta },
    summary,
  };
}

/** A page of the newest records. Where it finds too few, the next page goes on from the end of what was read. */
async function readRequestPage(
  db: PlatformDb,
  { server_ids, filter }: Pick<Asked, 'server_ids' | 'filter'>,
  query: PageQuery,
) {
  const cursor = query.cursor === undefined ? LAST_ID : idOfCursor(query.cursor, 'cursor', 'a list');
  const newestSince = await endOfNewest(db, { server_ids, filter, cursor, most: MOST_SEARCHED });
  const read = (position: Position) => listRequestsOfServers(db, server_ids, { ...filter, newestSince }, position);
  const { items, meta } = await readPage(query, 'descending', read, requestOf);
  if (meta.nextCursor !== null || newestSince === undefined) return { items, meta };
  return { items, meta: { ...meta, nextCursor: cursorOf(firstIdAt(microsecondsOf(newestSince))) } };
}

async function readSummary(
  context: OrganizationContext,
  server_ids: readonly string[],
  given: RequestFilter,
  buckets: number,
) {
  const servers = { server_ids };
  const span = { server_ids, filter: given, cursor: LAST_ID, most: MOST_COUNTED };
  const newestSince = await endOfNewest(context.db, span);
  const filter = { ...given, newestSince };
  const mostUsed = async (groupBy: UsageGroup) => [
    ...(await readUsage(context, servers, { ...filter, groupBy, limit: MOST_USED, cursor: undefined })).items,
  ];
  const [histogram, owners, byServer, capabilities] = await Promise.all([
    readHistogram(context, servers, { ...filter, buckets }),
    mostUsed('owner'),
    mostUsed('server'),
    mostUsed('capability'),
  ]);
  return { histogram, owners, servers: byServer, capabilities, countedSince: newestSince ?? null };
}

/** Every request that the list with this filter has. */
export async function readRequestsExport(context: OrganizationContext, { format, ...given }: RequestsExportQuery) {
  const { server_ids, filter } = await readAsked(context, given);
  return linesOfRequests(context.db, { server_ids, filter, format });
}

/** The values of a field, counted under the conditions on the other fields. */
export async function readRequestsValues(
  context: OrganizationContext,
  { field, text, limit, ...given }: RequestValuesQuery,
): Promise<FieldValues> {
  const { readable, server_ids, filter } = await readAsked(context, given, field);
  if (field !== 'server') return readRequestValues(context.db, { server_ids, filter, field, text, limit });
  // Servers are few, so their names are searched here.
  const counted = await readRequestValues(context.db, { server_ids, filter, field, text: '', limit: MAX_SERVERS });
  const values = counted.values.flatMap(({ value, count }) => {
    const server = readable.find(({ id }) => id === value);
    return server && isNamed(server, text) ? [{ value: server.slug, label: server.name, count }] : [];
  });
  return { ...counted, values: values.slice(0, limit) };
}

function isNamed({ slug, name }: NamedServer, part: string): boolean {
  return [slug, name].some((text) => text.toLowerCase().includes(part.toLowerCase()));
}
