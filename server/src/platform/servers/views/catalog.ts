import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { isAtLeast, type Role } from '../../../identity/access/access.ts';
import { addSeconds } from '../../../values/time.ts';
import { type Page, type PageQuery, readPage } from '../../page.ts';
import { deploymentOf } from '../deployments/queries.ts';
import { callsOnly } from '../requests/fields.ts';
import type { UsageItem } from '../requests/schema.ts';
import { readUsage } from '../requests/usage.ts';
import { listedRole, serverOf } from '../server/answers.ts';
import { ownersByServer } from '../server/owners.ts';
import { listVisibleServers } from '../server/queries.ts';
import { listLiveDeployments } from './queries.ts';
import type { CatalogItem } from './schema.ts';

export const DAY_SECONDS = 86_400;

/** True for an editor, who sees more of a server than others. */
export function mayEdit(role: Role | null): boolean {
  return role !== null && isAtLeast(role, 'editor');
}

/** Servers that the caller may see, with the facts that an editor may know. */
export async function readCatalog(context: OrganizationContext, query: PageQuery): Promise<Page<CatalogItem>> {
  const { organization, caller, db } = context;
  const scope = {
    organization_id: organization.id,
    organization_role: organization.role,
    actor_id: caller.actor.id,
  };
  const read = (position: Position) => db.all(listVisibleServers, { ...scope, text: '', ...position });
  const { items: rows, meta } = await readPage(query, 'ascending', read, (row) => row);
  const edited = rows.filter((row) => mayEdit(listedRole(context, row))).map(({ id }) => id);
  const [figures, owners, live, reportOf] = await Promise.all([
    figuresByServer(context, edited),
    ownersByServer(db, rows),
    db.all(listLiveDeployments, { server_ids: edited }),
    context.server.hosting.reports(),
  ]);
  const items = rows.map((row): CatalogItem => {
    const role = listedRole(context, row);
    const deployment = live.find(({ server_id }) => server_id === row.id);
    const isRun = row.kind === 'hosted' && mayEdit(role);
    return {
      server: serverOf(context, row, role),
      figures: mayEdit(role) ? (figures.get(row.id) ?? NO_REQUESTS) : null,
      owners: owners.get(row.id) ?? [],
      process: isRun ? { ...reportOf(row.id), stoppedAt: row.stopped_at } : null,
      live: deployment ? deploymentOf(deployment) : null,
    };
  });
  return { items, meta };
}

export const NO_REQUESTS = {
  requests: 0,
  ok: 0,
  denied: 0,
  invalid: 0,
  failed: 0,
  p50Microseconds: null,
  p95Microseconds: null,
};

async function figuresByServer(context: OrganizationContext, server_ids: readonly string[]) {
  if (server_ids.length === 0) return new Map<string | null, UsageItem>();
  const since = addSeconds(context.now, -DAY_SECONDS);
  const { items } = await readUsage(
    context,
    { server_ids },
    { groupBy: 'server', limit: server_ids.length, cursor: undefined, since, errors: false, where: callsOnly },
  );
  return new Map(items.map((item) => [item.key, item]));
}
