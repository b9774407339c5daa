/** Servers in the form in which the catalog shows them to one caller. */

import type { OrganizationContext } from '../../context/platform-context.ts';
import type { Position } from '../../database/rows.ts';
import type { Role } from '../../identity/access/access.ts';
import { type Page, type PageQuery, readPage } from '../page.ts';
import { accessRequestOf, accessRequests, findListedRequest } from '../servers/access-requests/queries.ts';
import { findSeenServer } from '../servers/server/access.ts';
import { capabilitiesOf, listedRole, serverOf, servingUrlOf } from '../servers/server/answers.ts';
import { clientsOf, isSignInOffered } from '../servers/server/clients.ts';
import { ownersByServer } from '../servers/server/owners.ts';
import { type CatalogRow, listCatalog } from './queries.ts';
import type { CatalogEntry, CatalogServer } from './schema.ts';

export async function readCatalog(
  context: OrganizationContext,
  query: PageQuery & { readonly name: string; readonly kind?: CatalogEntry['kind'] },
): Promise<Page<CatalogEntry>> {
  const { organization, caller, db } = context;
  const scope = {
    organization_id: organization.id,
    organization_role: organization.role,
    actor_id: caller.actor.id,
    kind: query.kind,
    text: query.name,
  };
  const read = (position: Position) => db.all(listCatalog, { ...scope, ...position });
  const { items: rows, meta } = await readPage(query, 'ascending', read, (row) => row);
  const owners = await ownersByServer(db, rows);
  const items = rows.map((row) => entryOf(context, row, listedRole(context, row), owners.get(row.id) ?? []));
  return { items, meta };
}

function entryOf(context: OrganizationContext, row: CatalogRow, role: Role | null, owners: string[]): CatalogEntry {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    kind: row.kind as CatalogEntry['kind'],
    owners,
    role,
    servingUrl: servingUrlOf(context, row.slug),
    requestState: row.request_state as CatalogEntry['requestState'],
  };
}

/** Throws NotFound for a concealed server without access. */
export async function readCatalogServer(context: OrganizationContext, idOrSlug: string): Promise<CatalogServer> {
  const { organization, caller, db } = context;
  const { row, role } = await findSeenServer(context, idOrSlug);
  const [owners, asked] = await Promise.all([
    ownersByServer(db, [row]),
    accessRequests.first(db, { server_id: row.id, user_id: caller.actor.id }),
  ]);
  const request = asked && (await db.first(findListedRequest, { organization_id: organization.id, id: asked.id }));
  const server = serverOf(context, row, role);
  const offered = role === null ? null : capabilitiesOf(row, caller.actor.id, role);
  const { id, slug, name, description, kind, servingUrl, authentication } = server;
  return {
    ...{ id, slug, name, description, kind, role, servingUrl, authentication },
    owners: owners.get(row.id) ?? [],
    signIn: isSignInOffered(context, server),
    tools: offered?.tools.map((tool) => toolOf(JSON.parse(tool) as Readonly<Record<string, unknown>>)) ?? null,
    instructions: offered?.instructions ?? null,
    clients: role === null ? [] : clientsOf(context, server),
    request: request ? accessRequestOf(request) : null,
  };
}

function toolOf(tool: Readonly<Record<string, unknown>>) {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return { name: String(tool['name']), title: text(tool['title']), description: text(tool['description']) };
}
