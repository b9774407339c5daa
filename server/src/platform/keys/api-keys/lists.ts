/** Lists of keys: those of one owner, and those of an organization's service accounts, in full or filtered. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { addDays } from '../../../identity/keys/key-end.ts';
import { type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { type Page, type PageQuery, readPage } from '../../page.ts';
import { type ApiKeyRow, apiKeyOf, shown } from './queries.ts';
import { type ApiKey, type ApiKeyFilter, type OrganizationApiKey, SOON_DAYS, STALE_DAYS } from './schema.ts';

interface Moments {
  readonly now: Timestamp;
  readonly soon: Timestamp;
  /** Keys made at or before this time have reached the greatest age. */
  readonly tooOld: Timestamp;
  /** Keys made at or before this time reach it soon. */
  readonly soonTooOld: Timestamp;
  readonly unusedSince: Timestamp;
}

type Given = Moments & { readonly of: string; readonly cursor: string; readonly limit: number };
type Condition = (eb: ExpressionBuilder<Tables, 'api_key'>, given: Moments) => Expression<SqlBool>;

const isActive: Condition = (eb, { now, tooOld }) =>
  eb.and([
    eb('api_key.revoked_at', 'is', null),
    eb.or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', now)]),
    eb('api_key.created', '>', tooOld),
  ]);

const conditions: Readonly<Record<ApiKeyFilter, Condition>> = {
  all: (eb) => eb('api_key.id', 'is not', null),
  active: isActive,
  expiring: (eb, given) =>
    eb.and([
      isActive(eb, given),
      eb.or([eb('api_key.expires_at', '<=', given.soon), eb('api_key.created', '<=', given.soonTooOld)]),
    ]),
  stale: (eb, given) =>
    eb.and([
      isActive(eb, given),
      eb.or([eb('api_key.last_used_at', 'is', null), eb('api_key.last_used_at', '<=', given.unusedSince)]),
    ]),
};

const listOfOwner = (filter: ApiKeyFilter) =>
  platformStatement<Given, ApiKeyRow>((query, given) =>
    query
      .selectFrom('api_key')
      .select(shown)
      .where('owner_id', '=', given.of)
      .where('id', '>', given.cursor)
      .where((eb) => conditions[filter](eb, given))
      .orderBy('id')
      .limit(given.limit),
  );

type AccountKeyRow = ApiKeyRow & { readonly account_id: string; readonly account_name: string };

const listOfOrganization = (filter: ApiKeyFilter) =>
  platformStatement<Given, AccountKeyRow>((query, given) =>
    query
      .selectFrom('service_account')
      .innerJoin('api_key', 'api_key.owner_id', 'service_account.id')
      .select(shown)
      .select(['service_account.id as account_id', 'service_account.name as account_name'])
      .where('service_account.organization_id', '=', given.of)
      .where('service_account.state', '<>', 'deleted')
      .where('api_key.id', '>', given.cursor)
      .where((eb) => conditions[filter](eb as never, given))
      .orderBy('api_key.id')
      .limit(given.limit),
  );

const ofOwner = {
  all: listOfOwner('all'),
  active: listOfOwner('active'),
  expiring: listOfOwner('expiring'),
  stale: listOfOwner('stale'),
};
const ofOrganization = {
  all: listOfOrganization('all'),
  active: listOfOrganization('active'),
  expiring: listOfOrganization('expiring'),
  stale: listOfOrganization('stale'),
};

interface Place {
  readonly db: PlatformDb;
  readonly now: Timestamp;
}

type KeyQuery = PageQuery & { readonly filter: ApiKeyFilter };

/** `maxKeyAgeDays` is the limit of a service account's organization; null for the keys of a person. */
export function listKeysOf(
  { db, now }: Place,
  ownerId: string,
  { filter, ...query }: KeyQuery,
  maxKeyAgeDays: number | null = null,
): Promise<Page<ApiKey>> {
  const given = { ...momentsOf(now, maxKeyAgeDays), of: ownerId };
  const read = (position: { cursor: string; limit: number }) => db.all(ofOwner[filter], { ...given, ...position });
  return readPage(query, 'ascending', read, (row) => apiKeyOf(row, now, maxKeyAgeDays));
}

/** The keys of all service accounts of an organization. */
export function listKeysOfOrganization(
  { db, now }: Place,
  { id, max_key_age_days: maxKeyAgeDays }: { readonly id: string; readonly max_key_age_days: number | null },
  { filter, ...query }: KeyQuery,
): Promise<Page<OrganizationApiKey>> {
  const given = { ...momentsOf(now, maxKeyAgeDays), of: id };
  const read = (position: { cursor: string; limit: number }) =>
    db.all(ofOrganization[filter], { ...given, ...position });
  return readPage(query, 'ascending', read, (row) => ({
    ...apiKeyOf(row, now, maxKeyAgeDays),
    serviceAccount: { id: row.account_id, name: row.account_name },
  }));
}

function momentsOf(now: Timestamp, maxKeyAgeDays: number | null): Moments {
  const longAgo = timestampFromMicroseconds(Number.NEGATIVE_INFINITY);
  const soon = addDays(now, SOON_DAYS);
  return {
    now,
    soon,
    tooOld: maxKeyAgeDays === null ? longAgo : addDays(now, -maxKeyAgeDays),
    soonTooOld: maxKeyAgeDays === null ? longAgo : addDays(soon, -maxKeyAgeDays),
    unusedSince: addDays(now, -STALE_DAYS),
  };
}
