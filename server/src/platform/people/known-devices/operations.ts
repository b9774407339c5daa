/**
 * Browsers that have signed a person in. Such a browser may still try to sign in while strangers guess at the account.
 * Its cookie gives no other right.
 */

import type { PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { addSeconds } from '../../../values/time.ts';
import { deleteExpiredKnownDevices, findKnownDevice, findKnownDeviceByEmail, knownDevices } from './queries.ts';

export const KNOWN_SECONDS = 400 * 24 * 3600;

/** A cookie that the browser should keep. */
export interface NewCookie {
  readonly value: string;
  readonly maxAgeSeconds: number;
}

/** Identifies the browser, if it has signed in to the account with this address. */
export async function findDeviceOf(context: PlatformContext, email: string): Promise<string | undefined> {
  if (context.device === undefined) return undefined;
  const token_hash = hashOfSecret(context.device);
  const row = await context.db.first(findKnownDeviceByEmail, { token_hash, email, now: context.now });
  return row?.token_hash;
}

/** The cookie for a browser that this person has not used before. Another person's cookie is not reused. */
export async function rememberDevice(
  { now, device }: PlatformContext,
  tx: PlatformTx,
  user_id: string,
): Promise<NewCookie | undefined> {
  await tx.run(deleteExpiredKnownDevices, { now });
  const isKnown = device && (await tx.first(findKnownDevice, { token_hash: hashOfSecret(device), user_id, now }));
  if (isKnown) return undefined;
  const value = newSecret();
  const expires_at = addSeconds(now, KNOWN_SECONDS);
  await knownDevices.insert(tx, { token_hash: hashOfSecret(value), user_id, created: now, expires_at });
  return { value, maxAgeSeconds: KNOWN_SECONDS };
}
