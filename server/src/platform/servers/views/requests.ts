import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { readPage } from '../../page.ts';
import { type Servers, spanOf } from '../requests/filter.ts';
import { readHistogram } from '../requests/histogram.ts';
import { listRequests, listRequestsOfServers, requestOf } from '../requests/queries.ts';
import type { RequestFilter, UsageGroup } from '../requests/schema.ts';
import { readUsage } from '../requests/usage.ts';
import { serverFor } from '../server/access.ts';
import { listedRole } from '../server/answers.ts';
import { listServerNames } from '../server/queries.ts';
import { DAY_SECONDS, mayEdit } from './catalog.ts';
import type { RequestsQuery, RequestsView } from './schema.ts';

const MAX_SERVERS = 200;
const MOST_USED = 10;

/**
 * The requests to the servers that the caller edits, or to the one in the query. Covers a day unless the query names a
 * span.
 */
export async function readRequestsView(context: OrganizationContext, query: RequestsQuery): Promise<RequestsView> {
  const { organization, caller, db } = context;
  const { limit, cursor, server, buckets, ...given } = query;
  const filter = spanOf(given, context.now, DAY_SECONDS);
  const names = await db.all(listServerNames, {
    organization_id: organization.id,
    actor_id: caller.actor.id,
    limit: MAX_SERVERS,
  });
  const readable = names.filter((row) => mayEdit(listedRole(context, row)));
  const servers: Servers =
    server === undefined
      ? { server_ids: readable.map(({ id }) => id) }
      : { server_id: (await serverFor(context, server, 'editor')).id };
  const read = (position: Position) =>
    'server_id' in servers
      ? listRequests(db, servers.server_id, filter, position)
      : listRequestsOfServers(db, servers.server_ids, filter, position);
  const [requests, summary] = await Promise.all([
    readPage(query, 'descending', read, requestOf),
    cursor === undefined ? readSummary(context, servers, filter, buckets) : null,
  ]);
  return {
    servers: readable.map(({ id, slug, name }) => ({ id, slug, name })),
    requests: { items: [...requests.items], meta: requests.meta },
    summary,
  };
}

async function readSummary(context: OrganizationContext, servers: Servers, filter: RequestFilter, buckets: number) {
  const mostUsed = async (groupBy: UsageGroup) => [
    ...(await readUsage(context, servers, { ...filter, groupBy, limit: MOST_USED, cursor: undefined })).items,
  ];
  const [histogram, owners, byServer, capabilities] = await Promise.all([
    readHistogram(context, servers, { ...filter, buckets }),
    mostUsed('owner'),
    mostUsed('server'),
    mostUsed('capability'),
  ]);
  return { histogram, owners, servers: byServer, capabilities };
}
