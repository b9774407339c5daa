/** Finds the keys that end soon, with the facts for notifying the people who can replace them. */

import { platformStatement } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import type { ActorType } from '../../../identity/access/access.ts';
import { addDays, daysText } from '../../../identity/keys/key-end.ts';
import { counted } from '../../../values/counted.ts';
import { FIRST_ID } from '../../../values/id.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import { endOfKey } from './queries.ts';

export interface ExpiringKey {
  readonly id: string;
  readonly descriptor: string;
  readonly createdAt: Timestamp;
  readonly endsAt: Timestamp;
  /** Time of the last mail about it; null for none. */
  readonly warnedAt: Timestamp | null;
  /** `name` is the address of a user, or the name of a service account, whose administrators are those of its organization. */
  readonly owner: { readonly type: ActorType; readonly id: string; readonly name: string };
  /** The organization of a service account; null for personal keys, which work in every organization of their user. */
  readonly organization: { readonly id: string; readonly slug: string } | null;
}

interface FoundRow {
  readonly id: string;
  readonly descriptor: string;
  readonly created: Timestamp;
  readonly expires_at: Timestamp | null;
  readonly warned_at: Timestamp | null;
  readonly owner_type: ActorType;
  readonly owner_id: string;
  readonly owner_name: string;
  readonly organization_id: string | null;
  readonly slug: string | null;
  readonly max_key_age_days: number | null;
}

const ROWS_AT_ONCE = 500;

/** Keys that expire before `until`, and keys whose age an organization limits; the caller selects from them. */
const listEnding = platformStatement<{ now: Timestamp; until: Timestamp; cursor: string; limit: number }, FoundRow>(
  (query, given) =>
    query
      .selectFrom('api_key')
      .leftJoin('user_account', (join) =>
        join.onRef('user_account.id', '=', 'api_key.owner_id').on('user_account.state', '=', 'active'),
      )
      .leftJoin('service_account', (join) =>
        join.onRef('service_account.id', '=', 'api_key.owner_id').on('service_account.state', '=', 'active'),
      )
      .leftJoin('organization', 'organization.id', 'service_account.organization_id')
      .where('api_key.id', '>', given.cursor)
      .where('api_key.revoked_at', 'is', null)
      .where('api_key.replaced_by', 'is', null)
      .where((eb) => eb.or([eb('user_account.id', 'is not', null), eb('service_account.id', 'is not', null)]))
      .where((eb) =>
        eb.or([
          eb.and([eb('api_key.expires_at', '>', given.now), eb('api_key.expires_at', '<=', given.until)]),
          eb('organization.max_key_age_days', 'is not', null),
        ]),
      )
      .select((eb) => [
        'api_key.id as id',
        'api_key.descriptor as descriptor',
        'api_key.created as created',
        'api_key.expires_at as expires_at',
        'api_key.warned_at as warned_at',
        'api_key.owner_type as owner_type',
        'api_key.owner_id as owner_id',
        eb.fn.coalesce('user_account.email', 'service_account.name').as('owner_name'),
        'organization.id as organization_id',
        'organization.slug as slug',
        'organization.max_key_age_days as max_key_age_days',
      ])
      .orderBy('api_key.id')
      .limit(given.limit) as never,
);

/**
 * The active keys that end within `days` days after `now`, oldest first: at their expiry or, for a key of a service
 * account, at the greatest age that its organization accepts. Keys that were rolled are omitted, because their end was
 * chosen.
 */
export async function* expiringKeys(db: PlatformDb, now: Timestamp, days: number): AsyncGenerator<ExpiringKey> {
  const until = addDays(now, days);
  for (let cursor: string | undefined = FIRST_ID; cursor !== undefined; ) {
    const rows: FoundRow[] = await db.all(listEnding, { now, until, cursor, limit: ROWS_AT_ONCE });
    for (const row of rows) {
      const endsAt = endOfKey(row, row.max_key_age_days);
      if (endsAt === null || endsAt <= now || endsAt > until) continue;
      yield {
        id: row.id,
        descriptor: row.descriptor,
        createdAt: row.created,
        endsAt,
        warnedAt: row.warned_at,
        owner: { type: row.owner_type, id: row.owner_id, name: row.owner_name },
        organization: row.organization_id === null ? null : { id: row.organization_id, slug: row.slug ?? '' },
      };
    }
    cursor = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.id;
  }
}

const HOUR_SECONDS = 3600;
const DAY_HOURS = 24;

/** `in 6 days`, `in 1 hour`, `in less than an hour`; for a time in the future. */
export function timeUntil(end: Timestamp, now: Timestamp): string {
  const hours = Math.round(secondsBetween(now, end) / HOUR_SECONDS);
  if (hours >= 2 * DAY_HOURS) return `in ${daysText(Math.round(hours / DAY_HOURS))}`;
  if (hours < 1) return 'in less than an hour';
  return `in ${counted(hours, 'hour')}`;
}
