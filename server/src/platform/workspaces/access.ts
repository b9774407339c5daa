import type { OrganizationContext } from '../../context/platform-context.ts';
import { workspaces } from '../../database/workspaces.ts';
import { Forbidden, NotFound } from '../../errors.ts';
import { decide, type Role } from '../../identity/access/access.ts';
import { lacksRole } from '../../identity/callers/refusal-sentences.ts';
import { grants } from '../grants/queries.ts';
import { MISSING } from './operations.ts';
import type { WorkspaceRow } from './queries.ts';

/** The workspace that a path names, for an actor with at least this role on it. Throws NotFound or Forbidden. */
export async function workspaceFor(context: OrganizationContext, id: string, required: Role): Promise<WorkspaceRow> {
  const { caller, organization, db } = context;
  const row = await workspaces.first(db, { organization_id: organization.id, id });
  const grant = row && (await grants.first(db, { resource_id: row.id, actor_id: caller.actor.id }));
  const decision = decide(
    {
      credential: 'valid',
      actorState: caller.state,
      resource: row && { defaultRole: row.default_role as Role | null, visibility: 'members' },
      organizationRole: organization.role,
      grant: (grant?.role as Role | undefined) ?? null,
    },
    required,
  );
  if (row && decision.allowed) return row;
  if (!decision.allowed && decision.status === 403) {
    throw new Forbidden(lacksRole(required, 'in this workspace', decision.role));
  }
  throw new NotFound(MISSING);
}
