/** Converts a server's row to the API. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { type Role, roleOf } from '../../../identity/access/access.ts';
import { builtinManifest } from '../../../mcp/builtin/offer/manifest.ts';
import { personalCredentialOf } from '../../../mcp/credentials/settings.ts';
import { servingPath } from '../../../mcp/gateway/arrive/address.ts';
import { Policy, type PolicyDecision, type PolicyRule } from '../../../mcp/gateway/decide/policy.ts';
import { hostedConnectionOf } from '../../../mcp/hosting/launch/schema.ts';
import { approvalsIn } from '../../../mcp/manifest/approved-tools.ts';
import type { Manifest } from '../../../mcp/manifest/discovery.ts';
import { type CapabilityKind, LISTS } from '../../../mcp/protocol/methods.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { PacedDecisions } from './paced-decisions.ts';
import { findStanding, type ServerRow } from './queries.ts';
import { remixOf } from './remix-schema.ts';
import type { Server } from './schema.ts';

export function serverOf(context: OrganizationContext, row: ServerRow, role: Role | null): Server {
  const mayChange = role === 'editor' || role === 'admin';
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    organizationId: row.organization_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    kind: row.kind as Server['kind'],
    visibility: row.visibility as Server['visibility'],
    defaultRole: row.default_role as Role | null,
    authentication: row.authentication as Server['authentication'],
    deniedAs: row.denied_as as Server['deniedAs'],
    servingUrl: servingUrlOf(context, row.slug),
    role,
    // Only callers who may change the server see its address and how it runs.
    external: row.kind === 'external' && mayChange ? JSON.parse(row.connection) : null,
    hosted: row.kind === 'hosted' && mayChange ? hostedConnectionOf(JSON.parse(row.connection)) : null,
    remix: row.kind === 'remix' && mayChange ? remixOf(row) : null,
    personalCredential:
      row.personal_credential === null || role === null ? null : personalCredentialOf(row.personal_credential),
    manifestReadAt: row.manifest_read_at,
    manifestError: row.manifest_error,
  };
}

/** The address to which MCP clients connect. */
export function servingUrlOf({ organization, origin, server }: OrganizationContext, slug: string): string {
  return (server.config.serversUrl || origin) + servingPath(organization.slug, slug);
}

/** The caller's role, from the columns of the list. */
export function listedRole(
  { organization, caller }: OrganizationContext,
  row: Pick<ServerRow, 'default_role'> & { readonly granted_role: Role | null },
): Role | null {
  return roleOf({
    actorState: caller.state,
    organizationRole: organization.role,
    grant: row.granted_role,
    resource: { defaultRole: row.default_role as Role | null, visibility: 'discoverable' },
  }).role;
}

/** The policy together with the approvals, as the gateway applies it. */
export function policyIn(row: ServerRow): Policy {
  return new Policy(rulesOf(row), approvalsIn(row.approved_tools, row.manifest));
}

export function rulesOf(row: ServerRow): PolicyRule[] {
  return JSON.parse(row.policy) as PolicyRule[];
}

/** The discovered capabilities that the actor may see. */
export function capabilitiesOf(row: ServerRow, actorId: string, role: Role) {
  const manifest = manifestOf(row);
  const view = policyIn(row).viewOf(actorId, role);
  const work = new WorkAllowance();
  const seen = (method: string) => {
    const { property, kind, nameOf } = LISTS[method]!;
    return listOf(manifest, property).filter((item) => view.decide(kind, String(nameOf(item)), work).allowed);
  };
  return {
    readAt: row.manifest_read_at,
    error: row.manifest_error,
    eras: [...(manifest?.eras ?? [])],
    serverInfo: manifest?.serverInfo ? jsonTextOf(manifest.serverInfo) : null,
    instructions: manifest?.instructions ?? null,
    tools: seen('tools/list').map(jsonTextOf),
    prompts: seen('prompts/list').map(jsonTextOf),
    resources: seen('resources/list').map(jsonTextOf),
    resourceTemplates: seen('resources/templates/list').map(jsonTextOf),
  };
}

/** An actor's current role, and the decision of the policy on each discovered capability. */
export async function previewAccess({ db }: OrganizationContext, row: ServerRow, actorId: string) {
  const standing = await db.first(findStanding, {
    organization_id: row.organization_id,
    server_id: row.id,
    actor_id: actorId,
  });
  const { role, reason } = roleOf({
    actorState: standing?.state ?? 'active',
    organizationRole: standing?.organization_role ?? null,
    grant: standing?.granted_role ?? null,
    resource: { defaultRole: row.default_role as Role | null, visibility: 'discoverable' },
  });
  const view = role === null ? undefined : policyIn(row).viewOf(actorId, role);
  const decisions = new PacedDecisions();
  const capabilities: ({ capability: CapabilityKind; name: string } & PolicyDecision)[] = [];
  for (const { capability, name } of capabilityNamesOf(row)) {
    await decisions.pause();
    const decision = view ? decisions.decide(view, capability, name) : { allowed: false, reason };
    capabilities.push({ capability, name, ...decision });
  }
  return { actorId, role, reason, capabilities };
}

/** All discovered capabilities, in the order of the lists. */
export function capabilityNamesOf(row: ServerRow) {
  const manifest = manifestOf(row);
  return Object.values(LISTS).flatMap(({ property, kind, nameOf }) =>
    listOf(manifest, property).map((item) => ({ capability: kind, name: String(nameOf(item)) })),
  );
}

/** A built-in server offers the tools of this version of Signalbox. */
function manifestOf(row: ServerRow): Manifest | undefined {
  if (row.kind === 'builtin') return builtinManifest();
  return row.manifest === null ? undefined : (JSON.parse(row.manifest) as Manifest);
}

function listOf(manifest: Manifest | undefined, property: string): readonly Readonly<Record<string, unknown>>[] {
  return (manifest as unknown as Record<string, readonly Record<string, unknown>[]> | undefined)?.[property] ?? [];
}
