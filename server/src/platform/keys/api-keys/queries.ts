import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { ofActor, places } from '../../../identity/access/standing.ts';
import { addDays, earlierEnd, endOfAge, hasEnded } from '../../../identity/keys/key-end.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type ApiKey, STALE_DAYS } from './schema.ts';

export type ApiKeyRow = Omit<Row<'api_key'>, 'hash' | 'warned_at'>;

export const apiKeys = rows('api_key', { without: ['hash', 'warned_at'] });

/** The columns of a key that answers show. */
export const shown = [
  'api_key.id',
  'api_key.created',
  'api_key.descriptor',
  'api_key.owner_type',
  'api_key.owner_id',
  'api_key.revoked_at',
  'api_key.last_used_at',
  'api_key.expires_at',
  'api_key.replaced_by',
] as const;

/** Keys that are neither revoked nor past their own expiry. */
export const listActiveApiKeys = platformStatement<{ owner_id: string; now: Timestamp }, ApiKeyRow>((query, given) =>
  query
    .selectFrom('api_key')
    .select(shown)
    .where('owner_id', '=', given.owner_id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', given.now)]))
    .orderBy('id'),
);

/** The smallest of the greatest key ages of an actor's organizations; null if none limits it. */
export const findLeastKeyAge = platformStatement<{ actor_id: string }, { days: number | null }>(
  (query, given) =>
    query
      .selectFrom('organization')
      .$call(ofActor.at(given.actor_id, places.organization))
      .where((eb) => eb.or([eb('membership.user_id', 'is not', null), eb('service_account.id', 'is not', null)]))
      .select((eb) => eb.fn.min('organization.max_key_age_days').as('days')) as never,
);

/**
 * The end of the key. `maxKeyAgeDays` is the limit of the only organization in which it works, null for a personal key.
 */
export function endOfKey(row: Pick<ApiKeyRow, 'created' | 'expires_at'>, maxKeyAgeDays: number | null) {
  return earlierEnd(row.expires_at, endOfAge(row.created, maxKeyAgeDays));
}

export function apiKeyOf(row: ApiKeyRow, now: Timestamp, maxKeyAgeDays: number | null = null): ApiKey {
  const expiresAt = endOfKey(row, maxKeyAgeDays);
  const state = row.revoked_at !== null ? 'revoked' : hasEnded(expiresAt, now) ? 'expired' : 'active';
  const unused = row.last_used_at === null || row.last_used_at <= addDays(now, -STALE_DAYS);
  return {
    id: row.id,
    descriptor: row.descriptor,
    state,
    createdAt: row.created,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    expiresAt,
    replacedBy: row.replaced_by,
    isStale: state === 'active' && unused,
  };
}
