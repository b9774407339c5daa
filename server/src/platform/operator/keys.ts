/** The operator's commands for keys, on the machine itself. Secrets are not stored, so a list cannot show them. */

import type { Builder } from '../../database/dialect/dialect.ts';
import { platformStatement } from '../../database/statement.ts';
import type { PlatformTx } from '../../database/store.ts';
import { ConfigError } from '../../errors.ts';
import { addDays, hasEnded } from '../../identity/keys/key-end.ts';
import { idNamedBy } from '../../values/id.ts';
import type { Timestamp } from '../../values/time.ts';
import { type KeyOwner, type RolledApiKey, revokeApiKey, rollApiKey } from '../keys/api-keys/operations.ts';
import { type ApiKeyRow, apiKeyOf, shown } from '../keys/api-keys/queries.ts';
import { type ApiKey, type ApiKeyFilter, ApiKeyRoll, SOON_DAYS } from '../keys/api-keys/schema.ts';
import { findOwner, type KeyOwnerName, lockOwner, type OperatorContext } from './operator.ts';
import { checked } from './organizations.ts';

interface ListedKey {
  readonly id: string;
  readonly descriptor: string;
  readonly state: ApiKey['state'];
  readonly ownerType: string;
  /** Address of a user, name of a service account; null when the owner is gone. */
  readonly owner: string | null;
  /** Slug of the organization of a service account. */
  readonly organization: string | null;
  readonly created: Timestamp;
  readonly lastUsed: Timestamp | null;
  /** The end of the key; null when it has none. */
  readonly expires: Timestamp | null;
  readonly replacedBy: string | null;
  readonly stale: boolean;
}

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

/** All keys, or those of one owner, oldest first. */
export async function listKeys(
  { store, now }: OperatorContext,
  of: KeyOwnerName | undefined,
  filter: ApiKeyFilter = 'all',
): Promise<ListedKey[]> {
  const db = store.platform.reads();
  const owner = of && (await findOwner(db, of));
  const rows = await db.all(listKeyRows);
  const soon = addDays(now, SOON_DAYS);
  return rows
    .filter(({ owner_id }) => !owner || owner_id === owner.id)
    .map((row) => listed(row, now))
    .filter((key) => {
      if (filter === 'all') return true;
      if (filter === 'stale') return key.stale;
      return key.state === 'active' && (filter === 'active' || hasEnded(key.expires, soon));
    });
}

/** Takes effect for all requests that begin after this resolves. Throws ConfigError when no active key has this id. */
export function revokeKeyById({ store, now, change }: OperatorContext, id: string): Promise<ListedKey> {
  return store.platform.transaction(async (tx) => {
    const row = await findKey(tx, id);
    if (row.revoked_at !== null) throw noSuchKey(id);
    await revokeApiKey(change, tx, ownerOf(row), row.id);
    return listed({ ...row, revoked_at: now }, now);
  });
}

/** Throws ConfigError when no key has this id or a field is invalid, and the errors of `rollApiKey`. */
export async function rollKeyById(
  { store, change }: OperatorContext,
  id: string,
  given: object,
): Promise<RolledApiKey & { readonly owner: string | null }> {
  const asked = checked(ApiKeyRoll, given);
  return store.platform.transaction(async (tx) => {
    const row = await findKey(tx, id);
    const owner = ownerOf(row);
    await lockOwner(change, tx, owner);
    return { ...(await rollApiKey(change, tx, owner, row.id, asked)), owner: row.email ?? row.account };
  });
}

async function findKey(tx: PlatformTx, id: string): Promise<KeyRow> {
  const row = await tx.first(findKeyRow, { id: idNamedBy(id) });
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

function listed(row: KeyRow, now: Timestamp): ListedKey {
  const { state, expiresAt, isStale } = apiKeyOf(row, now, row.max_key_age_days);
  return {
    id: row.id,
    descriptor: row.descriptor,
    state,
    ownerType: row.owner_type,
    owner: row.email ?? row.account,
    organization: row.slug,
    created: row.created,
    lastUsed: row.last_used_at,
    expires: expiresAt,
    replacedBy: row.replaced_by,
    stale: isStale,
  };
}
