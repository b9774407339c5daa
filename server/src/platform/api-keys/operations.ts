import type { PlatformTx } from '../../database/store.ts';
import { notFound } from '../../errors.ts';
import { newTimeOrderedId } from '../../id.ts';
import type { ActorType } from '../../identity/access.ts';
import { newApiKey } from '../../identity/api-keys.ts';
import type { Author, PlatformContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { holdSession } from '../users/hold-session.ts';
import { apiKeyOf, insertApiKey, revokeKey } from './queries.ts';
import type { ApiKey } from './schema.ts';

/** Whose key it is, and the organization that the audit of it belongs to (null for personal keys). */
export interface KeyOwner {
  readonly type: ActorType;
  readonly id: string;
  readonly organizationId: string | null;
}

export interface CreatedApiKey {
  readonly apiKey: ApiKey;
  /** Answered once, and kept nowhere. */
  readonly secret: string;
}

/** Inside a transaction that has made sure that the owner may have one more key. */
export async function createApiKey(
  context: Author,
  tx: PlatformTx,
  owner: KeyOwner,
  descriptor: string,
): Promise<CreatedApiKey> {
  const { secret, hash } = newApiKey();
  const row = {
    id: newTimeOrderedId(),
    created: context.now,
    descriptor,
    owner_type: owner.type,
    owner_id: owner.id,
    revoked_at: null,
    last_used_at: null,
  };
  await tx.run(insertApiKey, { ...row, hash });
  await recordAudit(context, tx, {
    organizationId: owner.organizationId,
    action: 'api_key.create',
    target: { type: owner.type, id: owner.id },
  });
  return { apiKey: apiKeyOf(row), secret };
}

/** For the person who asks. Throws Unauthorized when the session has ended since the request began. */
export function createPersonalKey(context: PlatformContext, descriptor: string): Promise<CreatedApiKey> {
  return context.transaction(async (tx) => {
    const { id } = await holdSession(context, tx);
    return createApiKey(context, tx, { type: 'user', id, organizationId: null }, descriptor);
  });
}

/** In force for every request that begins after this resolves. 404 when the owner has no active key with this id. */
export async function revokeApiKey(context: Author, tx: PlatformTx, owner: KeyOwner, id: string): Promise<void> {
  const row = await tx.first(revokeKey, { id, owner_id: owner.id, now: context.now });
  if (!row) notFound('API key not found.');
  await recordAudit(context, tx, {
    organizationId: owner.organizationId,
    action: 'api_key.revoke',
    target: { type: owner.type, id: owner.id },
  });
}
