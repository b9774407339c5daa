import { Forbidden, NotFound } from '../../errors.ts';
import { idNamedBy } from '../../id.ts';
import { decide, type Role } from '../../identity/access.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { findGrant } from '../grants/queries.ts';
import { findServer, type ServerRow } from './queries.ts';

export interface SeenServer {
  readonly row: ServerRow;
  /** The caller's role in it. */
  readonly role: Role;
}

/**
 * The server that a path names by id or slug, for an actor with at least this role in it. Throws NotFound, also for a
 * concealed server without access, or Forbidden.
 */
export async function seeServer(context: OrganizationContext, idOrSlug: string, required: Role): Promise<SeenServer> {
  const { caller, organization, db } = context;
  const id = idNamedBy(idOrSlug);
  const row = await db.first(findServer, { organization_id: organization.id, id, slug: idOrSlug });
  const grant = row && (await db.first(findGrant, { resource_id: row.id, actor_id: caller.actor.id }));
  const decision = decide(
    {
      credential: 'valid',
      actorState: caller.state,
      resource: row && {
        defaultRole: row.default_role as Role | null,
        visibility: row.visibility === 'concealed' ? 'concealed' : 'discoverable',
      },
      organizationRole: organization.role,
      grant: (grant?.role as Role | undefined) ?? null,
    },
    required,
  );
  if (row && decision.allowed) return { row, role: decision.role };
  if (!decision.allowed && decision.status === 403) {
    throw new Forbidden(`This requires the role ${required} on the server.`);
  }
  throw new NotFound('Server not found.');
}

export async function serverFor(context: OrganizationContext, idOrSlug: string, required: Role): Promise<ServerRow> {
  return (await seeServer(context, idOrSlug, required)).row;
}
