/** The operator's commands for keys, on the machine itself. Secrets are not stored, so a list cannot show them. */

import type { PlatformChange } from '../../context/platform-context.ts';
import type { Builder } from '../../database/dialect/dialect.ts';
import { platformStatement } from '../../database/statement.ts';
import type { PlatformTx } from '../../database/store.ts';
import { ConfigError } from '../../errors.ts';
import { addDays, hasEnded } from '../../identity/keys/key-end.ts';
import { described, Nullable, Shape, type Static, Type } from '../../schema/kinds.ts';
import { type KeyOwner, type RolledApiKey, revokeApiKey, rollApiKey } from '../keys/api-keys/operations.ts';
import { type ApiKeyRow, apiKeyOf, shown } from '../keys/api-keys/queries.ts';
import { ApiKey, type ApiKeyFilter, type ApiKeyRoll, SOON_DAYS } from '../keys/api-keys/schema.ts';
import { lockOwner } from './operator.ts';

/** A key, with its owner: the address of a person, or a service account of an organization. */
export const OwnedApiKey = Shape(
  'OwnedApiKey',
  {
    ...ApiKey.properties,
    owner: described(Nullable(Type.String()), 'Address or name; null when the owner is gone.'),
    organization: described(Nullable(Type.String()), "Slug of a service account's organization."),
  },
  'ignore',
);
type OwnedApiKey = Static<typeof OwnedApiKey>;

type KeyRow = ApiKeyRow & {
  readonly email: string | null;
  readonly account: string | null;
  readonly organization_id: string | null;
  readonly slug: string | null;
  readonly max_key_age_days: number | null;
};

const keyRows = (query: Builder) =>
  query
    .selectFrom('api_key')
    .leftJoin('user_account', 'user_account.id', 'api_key.owner_id')
    .leftJoin('service_account', 'service_account.id', 'api_key.owner_id')
    .leftJoin('organization', 'organization.id', 'service_account.organization_id')
    .select(shown)
    .select([
      'user_account.email as email',
      'service_account.name as account',
      'service_account.organization_id as organization_id',
      'organization.slug as slug',
      'organization.max_key_age_days as max_key_age_days',
    ]);
const listKeyRows = platformStatement<Record<string, never>, KeyRow>((query) => keyRows(query).orderBy('api_key.id'));
const findKeyRow = platformStatement<{ id: string }, KeyRow>((query, given) =>
  keyRows(query).where('api_key.id', '=', given.id),
);

/** All keys, oldest first. */
export async function listKeys({ db, now }: PlatformChange, filter: ApiKeyFilter): Promise<OwnedApiKey[]> {
  const soon = addDays(now, SOON_DAYS);
  return (await db.all(listKeyRows))
    .map((row): OwnedApiKey => {
      const key = apiKeyOf(row, now, row.max_key_age_days);
      return { ...key, owner: row.email ?? row.account, organization: row.slug };
    })
    .filter(({ state, isStale, expiresAt }) => {
      if (filter === 'all') return true;
      if (filter === 'stale') return isStale;
      return state === 'active' && (filter === 'active' || hasEnded(expiresAt, soon));
    });
}

/** Takes effect for all requests that begin after this resolves. Throws ConfigError when no active key has this id. */
export function revokeKeyById(change: PlatformChange, id: string): Promise<void> {
  return change.transaction(async (tx) => {
    const row = await findKey(tx, id);
    if (row.revoked_at !== null) throw noSuchKey(id);
    await revokeApiKey(change, tx, ownerOf(row), row.id);
  });
}

/** Throws ConfigError when no key has this id, and the errors of `rollApiKey`. */
export function rollKeyById(change: PlatformChange, id: string, given: ApiKeyRoll): Promise<RolledApiKey> {
  return change.transaction(async (tx) => {
    const row = await findKey(tx, id);
    const owner = ownerOf(row);
    await lockOwner(change, tx, owner);
    return rollApiKey(change, tx, owner, row.id, given);
  });
}

async function findKey(tx: PlatformTx, id: string): Promise<KeyRow> {
  const row = await tx.first(findKeyRow, { id });
  if (!row) throw noSuchKey(id);
  return row;
}

function noSuchKey(id: string): ConfigError {
  return new ConfigError(`There is no active key ${id}. "signalbox keys list" lists them.`);
}

function ownerOf(row: KeyRow): KeyOwner {
  const name = row.email ?? row.account;
  return {
    type: row.owner_type as KeyOwner['type'],
    id: row.owner_id,
    organizationId: row.organization_id,
    ...(name === null ? {} : { name }),
  };
}
