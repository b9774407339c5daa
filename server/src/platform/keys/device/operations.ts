/**
 * Signs a device in: it shows a code, a person who is signed in with a browser approves it, and the device's next poll
 * takes a personal key. Source: RFC 8628.
 */
import { randomInt } from 'node:crypto';
import { actorOf, type PlatformContext } from '../../../context/platform-context.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { found, TooManyRequests } from '../../../errors.ts';
import { countGuess, lookUp } from '../../../identity/callers/sign-in-attempts.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { clientNetwork, customerNetwork } from '../../../network/addresses.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, secondsBetween } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { holdSession } from '../../users/hold-session.ts';
import { lockUser } from '../../users/queries.ts';
import { createApiKey } from '../api-keys/operations.ts';
import {
  decideDevice,
  deleteExpiredDevices,
  devices,
  findWaitingDevice,
  listWaitingAddresses,
  waitingDeviceOf,
} from './queries.ts';
import type { DeviceAuthorizationRequest, DeviceDecision, DeviceTokenRequest, WaitingDevice } from './schema.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
export const VALID_SECONDS = 600;
const INTERVAL_SECONDS = 5;
const MAX_WAITING_OF_CLIENT = 20;
/** Devices that may wait in the network that one customer of a provider may have. */
const MAX_WAITING_OF_CUSTOMER = 100;
const MAX_WAITING = 2000;
/** Seconds for which an ended authorization is kept, so that a late poll gets `expired_token`. */
const REMEMBERED_SECONDS = 3600;
/** Contains no vowels, so that no words appear, and no letters that look like others. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const NO_SUCH_CODE = 'This code is unknown, used, or expired.';

const audit = auditIn('device');

export async function beginDevice(context: PlatformContext, given: DeviceAuthorizationRequest) {
  const { now, origin } = context;
  const deviceCode = newSecret();
  const userCode = await context.transaction(async (tx) => {
    await tx.run(deleteExpiredDevices, { before: addSeconds(now, -REMEMBERED_SECONDS) });
    checkRoom(await tx.all(listWaitingAddresses, { now }), context.address);
    for (;;) {
      const user_code = newUserCode();
      const made = await devices.insertUnlessThere(tx, {
        id: newTimeOrderedId(),
        created: now,
        device_code_hash: hashOfSecret(deviceCode),
        user_code,
        device_name: given.device_name ?? null,
        state: 'waiting',
        user_id: null,
        expires_at: addSeconds(now, VALID_SECONDS),
        last_polled_at: null,
        client_id: joined(given.client_id, given.client_version),
        platform: joined(given.platform, given.architecture),
        address: context.address || null,
      });
      if (made) return user_code;
    }
  });
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${origin}/oauth/device`,
    verification_uri_complete: `${origin}/oauth/device?user_code=${userCode}`,
    expires_in: VALID_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

/** Anyone may begin, so the number of waiting devices is limited for one client and for all together. */
function checkRoom(waiting: readonly { readonly address: string | null }[], address: string): void {
  const client = clientNetwork(address);
  const own = waiting.filter((row) => clientNetwork(row.address ?? '') === client);
  const customer = customerNetwork(address);
  const ofCustomer = waiting.filter((row) => customerNetwork(row.address ?? '') === customer);
  if (own.length >= MAX_WAITING_OF_CLIENT || ofCustomer.length >= MAX_WAITING_OF_CUSTOMER) {
    throw new TooManyRequests('Too many codes from this address are waiting for approval.', VALID_SECONDS);
  }
  if (waiting.length >= MAX_WAITING)
    throw new TooManyRequests('Too many codes are waiting for approval.', VALID_SECONDS);
}

type DevicePoll = { readonly secret: string } | { readonly error: string; readonly reason: string };

const UNKNOWN_CODE: DevicePoll = { error: 'expired_token', reason: 'The code is unknown or expired.' };

/** Returns the key, once, or the error that RFC 8628 names. */
export async function pollForToken(context: PlatformContext, given: DeviceTokenRequest): Promise<DevicePoll> {
  const { now, server, address } = context;
  if (given.grant_type !== GRANT_TYPE) {
    return { error: 'unsupported_grant_type', reason: 'Only the device code grant is supported.' };
  }
  const device_code_hash = hashOfSecret(given.device_code);
  if (!(await devices.first(context.db, { device_code_hash }))) {
    await countGuess(server.attempts, 'device code', address);
    return UNKNOWN_CODE;
  }
  return context.transaction(async (tx) => {
    const before = await devices.first(tx, { device_code_hash });
    const approver = before?.user_id ?? null;
    // Locks the person first, like every operation that ends the person's access: then either the device is deleted, or
    // the key is made and ends with the access.
    const user = approver === null ? undefined : await tx.first(lockUser, { id: approver });
    // The change locks the row, so two polls at once cannot both take the token.
    const row = await devices.change(tx, { device_code_hash }, { last_polled_at: now });
    if (!row || row.expires_at <= now) return UNKNOWN_CODE;
    if (row.state === 'denied') return { error: 'access_denied', reason: 'The person refused.' };
    // A code that was approved after `before` was read waits for the next poll, which locks the person first.
    if (row.state !== 'approved' || approver === null) {
      const last = before?.last_polled_at ?? null;
      const isHasty = last !== null && secondsBetween(last, now) < INTERVAL_SECONDS - 1;
      return isHasty
        ? { error: 'slow_down', reason: `Poll every ${INTERVAL_SECONDS} seconds.` }
        : { error: 'authorization_pending', reason: 'Nobody has approved the code yet.' };
    }
    await devices.removeAll(tx, { id: row.id });
    if (user?.state !== 'active') return { error: 'access_denied', reason: 'The account is not active.' };
    const actor = { type: 'user', id: user.id, name: user.email } as const;
    const asUser = { ...context, caller: { actor, state: 'active', apiKeyId: undefined, session: undefined } as const };
    const owner = { type: 'user', id: user.id, organizationId: null } as const;
    const { secret } = await createApiKey(asUser, tx, owner, { descriptor: row.device_name ?? 'device' });
    return { secret };
  });
}

/** 404 for a code that is unknown, decided or expired. */
export async function readWaitingDevice(context: PlatformContext, userCode: string): Promise<WaitingDevice> {
  const { db, now, server, address } = context;
  const row = await lookUp(server.attempts, 'user code', address, async () => {
    const given = { user_code: normalCode(userCode), now };
    return found(await db.first(findWaitingDevice, given), NO_SUCH_CODE);
  });
  return waitingDeviceOf(row);
}

export async function decideOnDevice(context: PlatformContext, { userCode, approve }: DeviceDecision): Promise<void> {
  const { now } = context;
  const actor = actorOf(context);
  await readWaitingDevice(context, userCode);
  return context.transaction(async (tx) => {
    await holdSession(context, tx);
    const decided = await tx.first(decideDevice, {
      user_code: normalCode(userCode),
      user_id: actor.id,
      state: approve ? 'approved' : 'denied',
      now,
    });
    const { id, device_name: name } = found(decided, NO_SUCH_CODE);
    await audit(context, tx, approve ? 'approve' : 'deny', { id, name, organization_id: null });
  });
}

function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function joined(...words: (string | undefined)[]): string | null {
  return words.filter(Boolean).join(' ') || null;
}

/** Accepts the code as people type it: in any case, with or without the dash. */
function normalCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
