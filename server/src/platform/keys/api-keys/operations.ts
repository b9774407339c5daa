import type { Author, PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict, NamedRefusal, notFound } from '../../../errors.ts';
import type { ActorType } from '../../../identity/access/access.ts';
import { newApiKey } from '../../../identity/keys/api-keys.ts';
import { addDays, daysText, hasEnded } from '../../../identity/keys/key-end.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, secondsBetween, type Timestamp, wireTimestamp } from '../../../values/time.ts';
import { recordAudit } from '../../audit/record.ts';
import { holdSession } from '../../users/hold-session.ts';
import { type ApiKeyRow, apiKeyOf, apiKeys, endOfKey, findLeastKeyAge, listActiveApiKeys } from './queries.ts';
import type { ApiKey, ApiKeyCreate, ApiKeyRoll } from './schema.ts';

const MISSING = 'API key not found.';

/** A rotation needs two active keys of a service account; further keys would go unnoticed. */
const MAX_ACTIVE_KEYS = 2;

/** The owner of a key, and the organization whose audit records it (null for personal keys). */
export interface KeyOwner {
  readonly type: ActorType;
  readonly id: string;
  readonly organizationId: string | null;
  /** The name for the audit, if known. */
  readonly name?: string;
}

export interface CreatedApiKey {
  readonly apiKey: ApiKey;
  /** Returned once and not stored. */
  readonly secret: string;
}

export interface RolledApiKey extends CreatedApiKey {
  readonly replacedKey: ApiKey;
}

/**
 * Inside a transaction that has locked the owner. Throws NamedRefusal for an expiry that is past, or later than a
 * service account's organization allows, and NamedConflict `api_key_limit_reached` when a service account has reached
 * its limit of keys.
 */
export async function createApiKey(
  context: Author,
  tx: PlatformTx,
  owner: KeyOwner,
  given: ApiKeyCreate,
): Promise<CreatedApiKey> {
  const maxKeyAgeDays = await leastKeyAge(tx, owner);
  const expires_at = expiryOf(context, owner, given.expiresAt ?? null, maxKeyAgeDays);
  await checkKeyLimit(context, tx, owner, maxKeyAgeDays, 'Revoke one first.');
  const made = await insertKey(context, tx, owner, given.descriptor, expires_at);
  await audit(context, tx, owner, 'api_key.create', expires_at === null ? {} : { expiresAt: expires_at });
  return made;
}

/** Creates a key for the caller. Throws Unauthorized when the session has ended since the request began. */
export function createPersonalKey(context: PlatformContext, given: ApiKeyCreate): Promise<CreatedApiKey> {
  return context.transaction(async (tx) => {
    const { id } = await holdSession(context, tx);
    return createApiKey(context, tx, { type: 'user', id, organizationId: null }, given);
  });
}

/**
 * Takes effect for all requests that begin after this resolves. 404 when the owner has no such key, or when it is
 * revoked.
 */
export async function revokeApiKey(context: Author, tx: PlatformTx, owner: KeyOwner, id: string): Promise<void> {
  const active = { id, owner_id: owner.id, revoked_at: null };
  found(await apiKeys.change(tx, active, { revoked_at: context.now }), MISSING);
  await audit(context, tx, owner, 'api_key.revoke');
}

/**
 * Makes a key that replaces another, which works for `endsInSeconds` more. Call it inside a transaction that has locked
 * the owner: of two rolls of one key, the second then finds that it was rolled. Throws NotFound, NamedConflict
 * (`api_key_expired`, `api_key_rolled`, `api_key_limit_reached`), and NamedRefusal like `createApiKey`.
 */
export async function rollApiKey(
  context: Author,
  tx: PlatformTx,
  owner: KeyOwner,
  id: string,
  given: ApiKeyRoll,
): Promise<RolledApiKey> {
  const { now } = context;
  const old = found(await apiKeys.first(tx, { id, owner_id: owner.id }), MISSING);
  const maxKeyAgeDays = await leastKeyAge(tx, owner);
  const ageOfOwner = owner.type === 'service_account' ? maxKeyAgeDays : null;
  checkRollable(old, apiKeyOf(old, now, ageOfOwner));
  const expires_at = expiryOf(context, owner, given.expiresAt ?? lifetimeOf(old, now), maxKeyAgeDays, !given.expiresAt);
  const { revokeKeyId } = given;
  if (revokeKeyId !== undefined && revokeKeyId !== id) await revokeApiKey(context, tx, owner, revokeKeyId);
  const endsNow = given.endsInSeconds === 0 || revokeKeyId === id;
  if (endsNow) await apiKeys.change(tx, { id, owner_id: owner.id, revoked_at: null }, { revoked_at: now });
  const offer = 'End one of them with the roll: name it in revokeKeyId (--revoke).';
  await checkKeyLimit(context, tx, owner, maxKeyAgeDays, offer);
  const made = await insertKey(context, tx, owner, given.descriptor ?? old.descriptor, expires_at);
  const overlap = addSeconds(now, given.endsInSeconds);
  const end = old.expires_at !== null && old.expires_at < overlap ? old.expires_at : overlap;
  const change = { replaced_by: made.apiKey.id, expires_at: endsNow ? undefined : end };
  const replaced = found(await apiKeys.change(tx, { id }, change), MISSING);
  await audit(context, tx, owner, 'api_key.roll', { oldKeyEndsAt: endsNow ? now : end });
  return { ...made, replacedKey: apiKeyOf(replaced, now, ageOfOwner) };
}

function checkRollable(row: ApiKeyRow, { state, descriptor, expiresAt }: ApiKey): void {
  if (state === 'revoked') notFound(MISSING);
  if (state === 'expired') {
    throw new NamedConflict(
      'api_key_expired',
      `The key "${descriptor}" has expired, so it cannot be rolled. Create a new one.`,
    );
  }
  if (row.replaced_by !== null) {
    throw new NamedConflict(
      'api_key_rolled',
      `The key "${descriptor}" was rolled already and ends at ${wireTimestamp(expiresAt ?? '')}. Roll the key that replaces it.`,
      { replacedBy: row.replaced_by },
    );
  }
}

/** A key that replaces one with an expiry gets the same lifetime as that one. */
function lifetimeOf({ created, expires_at }: ApiKeyRow, now: Timestamp): Timestamp | null {
  return expires_at === null ? null : addSeconds(now, secondsBetween(created, expires_at));
}

/**
 * A personal key works in every organization of its user. Without a given expiry, it gets the smallest of their
 * greatest ages; a later expiry is accepted, because each organization refuses a key that is too old for it. `isFitted`
 * is true if the expiry was not chosen, and is shortened to the allowed time.
 */
function expiryOf(
  { now }: Author,
  owner: KeyOwner,
  given: Timestamp | null,
  maxKeyAgeDays: number | null,
  isFitted = false,
): Timestamp | null {
  const latest = maxKeyAgeDays === null ? null : addDays(now, maxKeyAgeDays);
  if (given === null) return latest;
  if (given <= now) throw expiryRefused('The expiry must be in the future.');
  if (owner.type === 'user' || latest === null || given <= latest) return given;
  if (isFitted) return latest;
  throw expiryRefused(
    `The organization accepts API keys for ${daysText(maxKeyAgeDays ?? 0)}: choose ${wireTimestamp(latest)} or earlier.`,
  );
}

function expiryRefused(message: string): NamedRefusal {
  return new NamedRefusal('validation_failed', 'expiresAt', message);
}

async function leastKeyAge(tx: PlatformTx, { id }: KeyOwner): Promise<number | null> {
  return (await tx.first(findLeastKeyAge, { actor_id: id }))?.days ?? null;
}

/**
 * Throws NamedConflict `api_key_limit_reached`, which lists the active keys of a service account without their secrets.
 */
async function checkKeyLimit(
  { now }: Author,
  tx: PlatformTx,
  owner: KeyOwner,
  maxKeyAgeDays: number | null,
  cure: string,
): Promise<void> {
  if (owner.type !== 'service_account') return;
  const active: ApiKey[] = [];
  for (const row of await tx.all(listActiveApiKeys, { owner_id: owner.id, now })) {
    const end = endOfKey(row, maxKeyAgeDays);
    if (!hasEnded(end, now)) active.push(apiKeyOf(row, now, maxKeyAgeDays));
    // A key that is too old now stays ended, even if the organization accepts older keys later.
    else await apiKeys.change(tx, { id: row.id }, { expires_at: end });
  }
  if (active.length < MAX_ACTIVE_KEYS) return;
  const names = active.map(({ descriptor, id }) => `"${descriptor}" (${id})`).join(' and ');
  throw new NamedConflict(
    'api_key_limit_reached',
    `This service account has ${active.length} active keys already: ${names}. ${cure}`,
    { activeKeys: active },
  );
}

async function insertKey(
  { now }: Author,
  tx: PlatformTx,
  owner: KeyOwner,
  descriptor: string,
  expires_at: Timestamp | null,
): Promise<CreatedApiKey> {
  const { secret, hash } = newApiKey();
  const row = await apiKeys.insert(tx, {
    id: newTimeOrderedId(),
    created: now,
    hash,
    descriptor,
    owner_type: owner.type,
    owner_id: owner.id,
    revoked_at: null,
    last_used_at: null,
    expires_at,
    replaced_by: null,
    warned_at: null,
  });
  return { apiKey: apiKeyOf(row, now), secret };
}

function audit(
  context: Author,
  tx: PlatformTx,
  { type, id, name, organizationId }: KeyOwner,
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  return recordAudit(context, tx, { organizationId, action, target: { type, id, name }, details });
}
