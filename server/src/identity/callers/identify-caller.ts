/**
 * The caller of the platform API: the owner of a key, or a person with a browser session. It is read anew for each
 * request.
 */
import { platformStatement } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { hashOfSecret } from '../../encryption/secret-hash.ts';
import { idNamedBy } from '../../values/id.ts';
import type { Timestamp } from '../../values/time.ts';
import type { Actor, ActorState, OrganizationRole } from '../access/access.ts';
import { actorOfKey, isExpired, type KeyOwnerRow, keyOwner, stateOfKeyOwner } from '../access/key-owner.ts';
import { ofActor, owner, places, roleInOrganization } from '../access/standing.ts';
import { hashOfApiKey } from '../keys/api-keys.ts';

export interface Caller {
  readonly actor: Actor;
  readonly state: ActorState;
  /** The presented key, which its owner may revoke; undefined for a session. */
  readonly apiKeyId: string | undefined;
  readonly session: { readonly id: string; readonly csrfToken: string; readonly lastSeenAt: Timestamp } | undefined;
}

const readKeyOwner = platformStatement<{ hash: string }, KeyOwnerRow>(
  (query, given) =>
    query
      .selectFrom('api_key')
      .$call(owner)
      .where('api_key.hash', '=', given.hash)
      .where('api_key.revoked_at', 'is', null)
      .select(keyOwner) as never,
);

const readSessionOwner = platformStatement<
  { id: string; now: Timestamp },
  Pick<Row<'session'>, 'csrf_token' | 'user_id' | 'last_seen_at'> & Pick<Row<'user_account'>, 'email' | 'state'>
>(
  (query, given) =>
    query
      .selectFrom('session')
      .innerJoin('user_account', 'user_account.id', 'session.user_id')
      .where('session.id', '=', given.id)
      .where('session.expires_at', '>', given.now)
      .select([
        'session.csrf_token',
        'session.user_id',
        'session.last_seen_at',
        'user_account.email',
        'user_account.state',
      ]) as never,
);

/** Returns undefined for a key that is malformed, unknown or revoked, without distinction. */
export async function identifyKey(
  db: PlatformDb,
  presented: string,
  now: Timestamp,
): Promise<Caller | 'expired' | undefined> {
  const hash = hashOfApiKey(presented);
  const row = hash === undefined ? undefined : await db.first(readKeyOwner, { hash });
  if (!row) return undefined;
  if (isExpired(row, now)) return 'expired';
  return {
    actor: actorOfKey(row),
    state: stateOfKeyOwner(row),
    apiKeyId: row.key_id,
    session: undefined,
  };
}

/** Returns undefined for a cookie that is unknown or expired. */
export async function identifySession(db: PlatformDb, cookie: string, now: Timestamp): Promise<Caller | undefined> {
  const id = hashOfSecret(cookie);
  const row = await db.first(readSessionOwner, { id, now });
  if (!row) return undefined;
  return {
    actor: { type: 'user', id: row.user_id, name: row.email },
    state: row.state as ActorState,
    apiKeyId: undefined,
    session: { id, csrfToken: row.csrf_token, lastSeenAt: row.last_seen_at },
  };
}

interface OrganizationAccess {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** The greatest key age that the organization accepts, in days; null for any. */
  readonly max_key_age_days: number | null;
  /** Null for those who are not members. */
  readonly role: OrganizationRole | null;
}

const readOrganizationAccess = platformStatement<{ id: string; slug: string; actor_id: string }, OrganizationAccess>(
  (query, given) =>
    query
      .selectFrom('organization')
      .$call(ofActor.at(given.actor_id, places.organization))
      .where((eb) => eb.or([eb('organization.id', '=', given.id), eb('organization.slug', '=', given.slug)]))
      .select([
        'organization.id as id',
        'organization.name as name',
        'organization.slug as slug',
        'organization.max_key_age_days as max_key_age_days',
        roleInOrganization.as('role'),
      ]) as never,
);

/**
 * Finds the organization that a path names by id or slug, with the actor's role in it. Undefined when it does not
 * exist.
 */
export function readOrganization(
  db: PlatformDb,
  idOrSlug: string,
  actor: Actor,
): Promise<OrganizationAccess | undefined> {
  return db.first(readOrganizationAccess, { id: idNamedBy(idOrSlug), slug: idOrSlug, actor_id: actor.id });
}
