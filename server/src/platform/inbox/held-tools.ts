/** The servers that hold tools back until an administrator approves them. */
import type { OrganizationContext } from '../../context/platform-context.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Role } from '../../identity/access/access.ts';
import { grantOf, places } from '../../identity/access/standing.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { approvalsOf } from '../servers/approvals/operations.ts';
import { listedRole } from '../servers/server/answers.ts';
import { servers } from '../servers/server/queries.ts';
import type { HeldTools } from './schema.ts';

const MOST_SERVERS = 200;
const MOST_LISTED = 20;

interface ApprovingServer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly default_role: string | null;
  readonly granted_role: Role | null;
  readonly manifest_version: number;
  readonly policy_version: number;
}

/** Servers whose tools need an approval, without their manifests, which may be large. */
const listApproving = platformStatement<{ organization_id: string; actor_id: string; limit: number }, ApprovingServer>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .$call(grantOf(given.actor_id, places.server.resource))
      .select([
        'mcp_server.id as id',
        'mcp_server.slug as slug',
        'mcp_server.name as name',
        'mcp_server.default_role as default_role',
        'mcp_server.manifest_version as manifest_version',
        'mcp_server.policy_version as policy_version',
        'resource_grant.role as granted_role',
      ])
      .where('mcp_server.organization_id', '=', given.organization_id)
      .where('mcp_server.approved_tools', 'is not', null)
      .orderBy('mcp_server.id')
      .limit(given.limit) as never,
);

/** By server: a manifest is compared once with the approvals. */
const counts = new BoundedMap<string, { readonly versions: string; readonly tools: number }>({
  name: 'held tools',
  most: 1000,
});

export async function readHeldTools(context: OrganizationContext): Promise<HeldTools[]> {
  const { organization, caller, db } = context;
  const given = { organization_id: organization.id, actor_id: caller.actor.id, limit: MOST_SERVERS };
  const held: HeldTools[] = [];
  for (const row of await db.all(listApproving, given)) {
    if (listedRole(context, row) !== 'admin') continue;
    const tools = await countHeld(context, row);
    const { id, slug, name } = row;
    if (tools > 0) held.push({ server: { id, slug, name }, tools });
    if (held.length === MOST_LISTED) break;
  }
  return held;
}

async function countHeld({ db }: OrganizationContext, row: ApprovingServer): Promise<number> {
  const versions = `${row.manifest_version} ${row.policy_version}`;
  const known = counts.get(row.id);
  if (known?.versions === versions) return known.tools;
  const server = await servers.first(db, { id: row.id });
  if (!server) return 0;
  const tools = approvalsOf(server).tools.filter(({ state }) => state === 'new' || state === 'changed').length;
  counts.set(row.id, { versions, tools });
  return tools;
}
