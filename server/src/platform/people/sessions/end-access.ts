/**
 * Ends all ways in which a person acts as a user, except the password and the identity at a provider. It applies to an
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

/** The table of `password-resets/`. It is declared again here because that folder imports this one. */
const passwordResets = rows('password_reset');

type End = (tx: PlatformTx, userId: string, now: Timestamp) => Promise<unknown>;

/** The function that ends the access for each table. `end-access.test.ts` compares this list with the schema. */
export const endings: Readonly<Partial<Record<TableName, End>>> = {
  session: (tx, user_id) => sessions.removeAll(tx, { user_id }),
  api_key: (tx, owner_id, now) => apiKeys.changeAll(tx, { owner_id, revoked_at: null }, { revoked_at: now }),
  device_authorization: (tx, user_id) => tx.run(deleteDevicesOfUser, { user_id }),
  oauth_connection: (tx, user_id) => connections.removeAll(tx, { user_id }),
  known_device: (tx, user_id) => knownDevices.removeAll(tx, { user_id }),
  password_reset: (tx, user_id) => passwordResets.removeAll(tx, { user_id }),
  // An earlier holder of the account may have connected an account of their own, which would see the requests of the
  // owner.
  upstream_credential: (tx, user_id) => upstreamCredentials.removeAll(tx, { user_id }),
};

/**
 * Takes effect for all requests that begin after the transaction, and for objects that earlier requests have not made
 * yet: see `holdSession`, which waits for the same row.
 */
export async function endAccess(tx: PlatformTx, userId: string, now: Timestamp): Promise<void> {
  await tx.first(lockUser, { id: userId });
  for (const end of Object.values(endings)) await end(tx, userId, now);
}
