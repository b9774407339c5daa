/** The columns of the owner of a key that the statements for access decisions share, and their conversion to facts. */
import { expressionBuilder } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import { ageRefusal, earlierEnd, endOfAge, hasEnded } from '../keys/key-end.ts';
import type { AccessFacts, Actor, ActorState, ResourceFacts } from './access.ts';
import type { Roles } from './standing.ts';

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

/** The greatest age of keys in the organization of the resource, which a statement joins; null where any age counts. */
export interface KeyAgeRow {
  readonly max_key_age_days: number | null;
}

const columns = expressionBuilder<Tables, 'user_account' | 'service_account'>();

export const keyOwner = [
  'api_key.id as key_id',
  'api_key.created as key_created',
  'api_key.expires_at as key_expires_at',
  'api_key.owner_type as owner_type',
  'api_key.owner_id as owner_id',
  columns.fn.coalesce('user_account.email', 'service_account.name').as('owner_name'),
  columns.fn.coalesce('user_account.state', 'service_account.state').as('owner_state'),
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
  row: KeyOwnerRow & Roles & KeyAgeRow,
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
