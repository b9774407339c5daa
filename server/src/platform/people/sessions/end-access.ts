/**
 * Ends everything that lets a person in as a user, except the password and the identity at a provider. It applies to an
 * account that gets another owner or another password, and to one that is removed.
 */
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { TableName } from '../../../database/tables/tables.ts';
import { upstreamCredentials } from '../../../mcp/credentials/queries.ts';
import type { Timestamp } from '../../../values/time.ts';
import { connections } from '../../connections/queries.ts';
import { apiKeys } from '../../keys/api-keys/queries.ts';
import { lockUser } from '../../users/queries.ts';
import { knownDevices } from '../known-devices/queries.ts';
import { sessions } from './queries.ts';

/** Devices that this user has approved and that have not taken their key yet. */
const deleteDevicesOfUser = platformStatement<{ user_id: string }, unknown>((query, given) =>
  query.deleteFrom('device_authorization').where('user_id', '=', given.user_id),
);

/** The same as in `password-resets/`, which imports this folder. */
const passwordResets = rows('password_reset');

type End = (tx: PlatformTx, userId: string, now: Timestamp) => Promise<unknown>;

/** How to end the access that each table gives. `end-access.test.ts` compares this list with the schema. */
export const endings: Readonly<Partial<Record<TableName, End>>> = {
  session: (tx, user_id) => sessions.removeAll(tx, { user_id }),
  api_key: (tx, owner_id, now) => apiKeys.changeAll(tx, { owner_id, revoked_at: null }, { revoked_at: now }),
  device_authorization: (tx, user_id) => tx.run(deleteDevicesOfUser, { user_id }),
  oauth_connection: (tx, user_id) => connections.removeAll(tx, { user_id }),
  known_device: (tx, user_id) => knownDevices.removeAll(tx, { user_id }),
  password_reset: (tx, user_id) => passwordResets.removeAll(tx, { user_id }),
  // Whoever had the account may have connected one of their own, which would see what the owner sends.
  upstream_credential: (tx, user_id) => upstreamCredentials.removeAll(tx, { user_id }),
};

/**
 * In force for every request that begins after the transaction, and for what earlier ones have not made yet: see
 * `holdSession`, which waits for the same row.
 */
export async function endAccess(tx: PlatformTx, userId: string, now: Timestamp): Promise<void> {
  await tx.first(lockUser, { id: userId });
  for (const end of Object.values(endings)) await end(tx, userId, now);
}
