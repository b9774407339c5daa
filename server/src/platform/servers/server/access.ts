import type { OrganizationContext } from '../../../context/platform-context.ts';
import { Forbidden, NotFound } from '../../../errors.ts';
import { decide, type Role } from '../../../identity/access/access.ts';
import { lacksRole } from '../../../identity/callers/refusal-sentences.ts';
import { idNamedBy } from '../../../values/id.ts';
import { grants } from '../../grants/queries.ts';
import { findServer, type ServerRow } from './queries.ts';

export const MISSING = 'Server not found.';

export interface SeenServer {
  readonly row: ServerRow;
  /** The caller's role in it. */
  readonly role: Role;
}

/** A server that the caller may at least see. */
interface VisibleServer {
  readonly row: ServerRow;
  /** Null if the caller only sees it. */
  readonly role: Role | null;
}

/**
 * The server that a path names by id or slug, for an actor with at least this role on it. Throws NotFound, also for a
 * concealed server without access, or Forbidden.
 */
export async function seeServer(context: OrganizationContext, idOrSlug: string, required: Role): Promise<SeenServer> {
  const { row, decision } = await findDecided(context, idOrSlug, required);
  if (row && decision.allowed) return { row, role: decision.role };
  if (!decision.allowed && decision.status === 403) {
    throw new Forbidden(lacksRole(required, 'on this server', decision.role));
  }
  throw new NotFound(MISSING);
}

/** Like `serverFor`, but also for callers who may know that it exists without a role on it. */
export async function findSeenServer(context: OrganizationContext, idOrSlug: string): Promise<VisibleServer> {
  const { row, decision } = await findDecided(context, idOrSlug, 'viewer');
  if (!row || (!decision.allowed && decision.status !== 403)) throw new NotFound(MISSING);
  return { row, role: decision.allowed ? decision.role : null };
}

async function findDecided({ caller, organization, db }: OrganizationContext, idOrSlug: string, required: Role) {
  const id = idNamedBy(idOrSlug);
  const row = await db.first(findServer, { organization_id: organization.id, id, slug: idOrSlug });
  const grant = row && (await grants.first(db, { resource_id: row.id, actor_id: caller.actor.id }));
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
  return { row, decision };
}

export async function serverFor(context: OrganizationContext, idOrSlug: string, required: Role): Promise<ServerRow> {
  return (await seeServer(context, idOrSlug, required)).row;
}
