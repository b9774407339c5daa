import type { OrganizationContext } from '../../../context/platform-context.ts';
import { serverBuilds } from '../../../mcp/hosting/builds/queries.ts';
import { LAST_ID } from '../../../values/id.ts';
import { addSeconds } from '../../../values/time.ts';
import { buildOf } from '../builds/queries.ts';
import { deploymentOf } from '../deployments/queries.ts';
import { processOf } from '../processes/operations.ts';
import { callsOnly, failedCalls } from '../requests/fields.ts';
import { readHistogram } from '../requests/histogram.ts';
import { listRequests, requestOf } from '../requests/queries.ts';
import { readUsage } from '../requests/usage.ts';
import { findSeenServer } from '../server/access.ts';
import { capabilitiesOf, serverOf } from '../server/answers.ts';
import { clientsOf } from '../server/clients.ts';
import { DAY_SECONDS, mayEdit, NO_REQUESTS } from './catalog.ts';
import { listLiveDeployments } from './queries.ts';
import type { ServerView } from './schema.ts';

const BUCKETS = 48;
const FAILURES = 10;

/** Throws NotFound for a concealed server without access. */
export async function readServerView(context: OrganizationContext, idOrSlug: string): Promise<ServerView> {
  const { db } = context;
  const { row, role } = await findSeenServer(context, idOrSlug);
  const capabilities = role === null ? null : capabilitiesOf(row, context.caller.actor.id, role);
  const server = serverOf(context, row, role);
  const seen = { server, capabilities, clients: role === null ? [] : clientsOf(context, server) };
  if (!mayEdit(role)) {
    return { ...seen, figures: null, histogram: null, failures: [], latestBuild: null, process: null, live: null };
  }
  const since = addSeconds(context.now, -DAY_SECONDS);
  const one = { server_id: row.id };
  const [usage, histogram, failures, live, builds, process] = await Promise.all([
    readUsage(context, one, { groupBy: 'server', limit: 1, cursor: undefined, since, errors: false, where: callsOnly }),
    readHistogram(context, one, { buckets: BUCKETS, errors: false, where: callsOnly }),
    listRequests(db, row.id, { since, errors: false, where: failedCalls }, { cursor: LAST_ID, limit: FAILURES }),
    db.all(listLiveDeployments, { server_ids: [row.id] }),
    row.kind === 'hosted' ? serverBuilds.page(db, one, { cursor: LAST_ID, limit: 1, order: 'descending' }) : [],
    row.kind === 'hosted' ? processOf(context, row) : null,
  ]);
  return {
    ...seen,
    figures: usage.items[0] ?? NO_REQUESTS,
    histogram,
    failures: failures.map(requestOf),
    latestBuild: builds[0] ? buildOf(builds[0]) : null,
    process,
    live: live[0] ? deploymentOf(live[0]) : null,
  };
}
