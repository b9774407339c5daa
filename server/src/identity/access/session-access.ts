/**
 * Reads, in one statement for one request, the person behind a browser session and that person's rights in a workspace.
 * `workspace-access.ts` does the same for a key.
 */
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import { hashOfSecret } from '../../encryption/secret-hash.ts';
import type { Timestamp } from '../../values/time.ts';
import type { AccessFacts, Actor, ActorState, Role } from './access.ts';
import { nobody } from './key-owner.ts';
import { ofPerson, places, type Roles } from './standing.ts';
import { type Way, type WorkspaceAddress, type WorkspaceNames, wayTo, workspaceBy } from './workspace-address.ts';

/** A session that is valid. */
export interface KnownSession {
  readonly id: string;
  /** The value that a change must carry in the `x-csrf-token` header. */
  readonly csrfToken: string;
  readonly lastSeenAt: Timestamp;
  readonly expiresAt: Timestamp;
}

interface SessionAccess {
  readonly facts: AccessFacts;
  readonly actor: Actor | undefined;
  readonly session: KnownSession | undefined;
  /** Key of the workspace, when the address maps to one. */
  readonly workspace: number | undefined;
}

interface AccessRow extends Roles {
  readonly csrf_token: string;
  readonly last_seen_at: Timestamp;
  readonly expires_at: Timestamp;
  readonly user_id: string;
  readonly email: string;
  readonly state: ActorState;
  readonly workspace_key: number | null;
  readonly default_role: Role | null;
}

const readAccess = (way: Way) =>
  platformStatement<WorkspaceNames & { session_id: string; now: Timestamp }, AccessRow>(
    (query, given) =>
      query
        .selectFrom('session')
        .innerJoin('user_account', 'user_account.id', 'session.user_id')
        .leftJoin('workspace', workspaceBy(way, given))
        .$call(ofPerson.at(places.workspace))
        .where('session.id', '=', given.session_id)
        .where('session.expires_at', '>', given.now)
        .select([
          'session.csrf_token',
          'session.last_seen_at',
          'session.expires_at',
          'user_account.id as user_id',
          'user_account.email',
          'user_account.state',
          ...ofPerson.roles,
          'workspace.key as workspace_key',
          'workspace.default_role as default_role',
        ]) as never,
  );
const readAccessBy = { key: readAccess('key'), ids: readAccess('ids'), slugs: readAccess('slugs') };

/** `cookie` is the value of the session cookie. */
export async function readSessionAccess(
  store: Store,
  cookie: string,
  address: WorkspaceAddress,
  now: Timestamp,
): Promise<SessionAccess> {
  const session_id = hashOfSecret(cookie);
  const row = await findAccess(store, session_id, address, now);
  if (!row) return { facts: nobody, actor: undefined, session: undefined, workspace: undefined };
  return {
    facts: {
      credential: 'valid',
      actorState: row.state,
      resource: row.workspace_key === null ? undefined : { defaultRole: row.default_role, visibility: 'members' },
      organizationRole: row.organization_role,
      grant: row.granted_role,
    },
    actor: { type: 'user', id: row.user_id, name: row.email },
    session: {
      id: session_id,
      csrfToken: row.csrf_token,
      lastSeenAt: row.last_seen_at,
      expiresAt: row.expires_at,
    },
    workspace: row.workspace_key ?? undefined,
  };
}

function findAccess(store: Store, session_id: string, address: WorkspaceAddress, now: Timestamp) {
  const { way, names } = wayTo(address);
  return store.platform.reads().first(readAccessBy[way], { session_id, now, ...names });
}
