/** Shows the effect of a policy before it is stored: the gateway's own code decides about every capability. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { NotFound } from '../../../errors.ts';
import { type Role, roleOf } from '../../../identity/access/access.ts';
import { type CapabilityView, Policy, type PolicyDecision } from '../../../mcp/gateway/decide/policy.ts';
import type { CapabilityKind } from '../../../mcp/protocol/methods.ts';
import { capabilityNamesOf, rulesOf } from '../server/answers.ts';
import { PacedDecisions } from '../server/paced-decisions.ts';
import { listStandings, type ServerRow, type StandingRow } from '../server/queries.ts';
import type { PolicyPreview, PolicyPreviewBody, Verdict } from '../server/schema.ts';

const MAX_NAMED = 50;

/** An actor with a role on the server, and the capabilities that the actor sees now and under the new rules. */
interface Affected {
  readonly standing: StandingRow;
  readonly before: CapabilityView;
  readonly after: CapabilityView;
}

/** Throws NotFound when `actorId` is neither a member nor a service account. */
export async function previewPolicy(
  { db }: OrganizationContext,
  row: ServerRow,
  { rules, actorId }: PolicyPreviewBody,
): Promise<PolicyPreview> {
  const standings = await db.all(listStandings, { organization_id: row.organization_id, server_id: row.id });
  const stored = new Policy(rulesOf(row));
  // The position of a rule serves as its id.
  const proposed = new Policy(rules.map((rule, index) => ({ id: String(index), ...rule })));
  const shown = actorId === null ? undefined : standings.find(({ actor_id }) => actor_id === actorId);
  if (actorId !== null && !shown) throw new NotFound('The organization has no such member or service account.');
  const access = shown && roleOfStanding(row, shown);
  const viewsOf = (id: string, role: Role) => ({ before: stored.viewOf(id, role), after: proposed.viewOf(id, role) });
  const own = shown && access?.role ? viewsOf(shown.actor_id, access.role) : undefined;
  const viewer = proposed.viewOf('', 'viewer');
  const editor = proposed.viewOf('', 'editor');
  const actors = standings.flatMap((standing): Affected[] => {
    const { role } = roleOfStanding(row, standing);
    return role === null ? [] : [{ standing, ...viewsOf(standing.actor_id, role) }];
  });
  const groups = groupsOf(actors);

  const capabilities: PolicyPreview['capabilities'] = [];
  const changes = new Map<string, { gained: number; lost: number }>();
  const decisions = new PacedDecisions();
  const decide = (view: CapabilityView, kind: CapabilityKind, name: string) => decisions.decide(view, kind, name);
  for (const { capability, name } of capabilityNamesOf(row)) {
    let gained = 0;
    let lost = 0;
    for (const [key, { before, after, count }] of groups) {
      await decisions.pause();
      const change = Number(decide(after, capability, name).allowed) - Number(decide(before, capability, name).allowed);
      if (change === 0) continue;
      const sums = changes.get(key) ?? { gained: 0, lost: 0 };
      changes.set(key, sums);
      if (change > 0) {
        gained += count;
        sums.gained += 1;
      } else {
        lost += count;
        sums.lost += 1;
      }
    }
    capabilities.push({
      capability,
      name,
      viewer: verdictOf(decide(viewer, capability, name)),
      editor: verdictOf(decide(editor, capability, name)),
      actor: access ? (own ? verdictOf(decide(own.after, capability, name)) : without(access.reason)) : null,
      actorNow: access ? own !== undefined && decide(own.before, capability, name).allowed : null,
      gained,
      lost,
    });
  }
  const affected = actors.flatMap((actor) => {
    const change = changes.get(keyOf(actor));
    return change ? [{ actorId: actor.standing.actor_id, actorName: actor.standing.name, ...change }] : [];
  });
  return {
    actor: shown && access ? { actorId: shown.actor_id, ...access } : null,
    capabilities,
    actorsWithRole: actors.length,
    affected: affected.slice(0, MAX_NAMED),
    affectedCount: affected.length,
  };
}

function roleOfStanding(row: ServerRow, { state, organization_role, granted_role }: StandingRow) {
  return roleOf({
    actorState: state,
    organizationRole: organization_role,
    grant: granted_role,
    resource: { defaultRole: row.default_role as Role | null, visibility: 'discoverable' },
  });
}

/** Groups the actors that see the same. */
function groupsOf(actors: readonly Affected[]) {
  const groups = new Map<string, Pick<Affected, 'before' | 'after'> & { count: number }>();
  for (const actor of actors) {
    const group = groups.get(keyOf(actor));
    if (group) group.count += 1;
    else groups.set(keyOf(actor), { before: actor.before, after: actor.after, count: 1 });
  }
  return groups;
}

function keyOf({ before, after }: Affected): string {
  return `${before.key}\n${after.key}`;
}

function verdictOf({ allowed, reason, rule }: PolicyDecision): Verdict {
  return { allowed, reason, rule: rule === undefined ? null : Number(rule) };
}

function without(reason: string): Verdict {
  return { allowed: false, reason, rule: null };
}
