/**
 * The joins and columns that the statements for access decisions share: the owner of a key and the owner's rights to a
 * resource. Also converts the columns to facts.
 */
import { expressionBuilder, type JoinBuilder } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import { ageRefusal, earlierEnd, endOfAge, hasEnded } from '../keys/key-end.ts';
import type { AccessFacts, Actor, ActorState, OrganizationRole, ResourceFacts, Role } from './access.ts';

/** The columns that `keyOwner` selects. Name and state are null when the owner's row is gone. */
export interface KeyOwnerRow {
  readonly key_id: string;
  readonly key_created: Timestamp;
  readonly key_expires_at: Timestamp | null;
  readonly owner_type: Actor['type'];
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly owner_state: ActorState | null;
}

/** The columns that `rolesIn` selects; the role in the organization is null for actors who are not members. */
export interface OwnerRolesRow {
  readonly organization_role: OrganizationRole | null;
  readonly granted_role: Role | null;
}

/** The greatest age of keys in the organization of the resource, which a statement joins; null where any age counts. */
export interface KeyAgeRow {
  readonly max_key_age_days: number | null;
}

type Resource = 'workspace' | 'mcp_server';
type Joined = 'api_key' | 'user_account' | 'service_account' | 'membership' | 'resource_grant' | Resource;
type Join = JoinBuilder<Tables, Joined>;

/** Join `user_account` and `service_account` to `api_key`; one of the two is the owner. */
export const owningUser = (join: Join) =>
  join.onRef('user_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'user');
export const owningServiceAccount = (join: Join) =>
  join.onRef('service_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'service_account');

/** Join `membership` and `resource_grant` to the owner and the resource. */
export const membershipFor = (resource: Resource) => (join: Join) =>
  join
    .onRef('membership.organization_id', '=', `${resource}.organization_id`)
    .onRef('membership.user_id', '=', 'user_account.id');
export const grantFor = (resource: Resource) => (join: Join) =>
  join
    .onRef('resource_grant.resource_id', '=', `${resource}.id`)
    .onRef('resource_grant.actor_id', '=', 'api_key.owner_id');

const columns = expressionBuilder<Tables, Joined>();

export const keyOwner = [
  'api_key.id as key_id',
  'api_key.created as key_created',
  'api_key.expires_at as key_expires_at',
  'api_key.owner_type as owner_type',
  'api_key.owner_id as owner_id',
  columns.fn.coalesce('user_account.email', 'service_account.name').as('owner_name'),
  columns.fn.coalesce('user_account.state', 'service_account.state').as('owner_state'),
] as const;

export const rolesIn = (resource: Resource) =>
  [
    columns
      .case()
      .when(columns.ref('service_account.organization_id'), '=', columns.ref(`${resource}.organization_id`))
      .then(columns.ref('service_account.role'))
      .else(columns.ref('membership.role'))
      .end()
      .as('organization_role'),
    'resource_grant.role as granted_role',
  ] as const;

export function actorOfKey(row: KeyOwnerRow): Actor {
  return { type: row.owner_type, id: row.owner_id, name: row.owner_name ?? '', keyCreated: row.key_created };
}

export function stateOfKeyOwner(row: KeyOwnerRow): ActorState {
  return row.owner_state ?? 'deleted';
}

/** An expired key identifies no one. */
export function isExpired(row: KeyOwnerRow, now: Timestamp): boolean {
  return hasEnded(row.key_expires_at, now);
}

/** The facts about the owner of a key that is not revoked; `resource` is undefined when the address maps to nothing. */
export function factsOfKeyOwner(
  row: KeyOwnerRow & OwnerRolesRow & KeyAgeRow,
  resource: ResourceFacts | undefined,
  now: Timestamp,
): AccessFacts {
  if (isExpired(row, now)) return { ...nobody, credential: 'expired', resource };
  return {
    credential: 'valid',
    actorState: stateOfKeyOwner(row),
    resource,
    organizationRole: row.organization_role,
    grant: row.granted_role,
    keyRefusal: ageRefusal(row.key_created, row.max_key_age_days, now),
  };
}

/**
 * The next time at which the facts about a key change without a write to the database; undefined when there is none.
 */
export function nextEndOf(row: KeyOwnerRow & KeyAgeRow, now: Timestamp): Timestamp | undefined {
  const ofAge = endOfAge(row.key_created, row.max_key_age_days);
  return earlierEnd(row.key_expires_at, hasEnded(ofAge, now) ? null : ofAge) ?? undefined;
}

/** The facts about a caller without a valid key. */
export const nobody: AccessFacts = {
  credential: 'invalid',
  actorState: 'active',
  resource: undefined,
  organizationRole: null,
  grant: null,
};
