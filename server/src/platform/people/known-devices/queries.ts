import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

type KnownDevice = Row<'known_device'>;

export const knownDevices = rows('known_device');

export const findKnownDevice = platformStatement<
  Pick<KnownDevice, 'token_hash' | 'user_id'> & { now: Timestamp },
  Pick<KnownDevice, 'token_hash'>
>((query, given) =>
  query
    .selectFrom('known_device')
    .select('token_hash')
    .where('token_hash', '=', given.token_hash)
    .where('user_id', '=', given.user_id)
    .where('expires_at', '>', given.now),
);

/** `email` in lower case. */
export const findKnownDeviceByEmail = platformStatement<
  { token_hash: string; email: string; now: Timestamp },
  Pick<KnownDevice, 'token_hash'>
>((query, given) =>
  query
    .selectFrom('known_device')
    .innerJoin('user_account', 'user_account.id', 'known_device.user_id')
    .select('known_device.token_hash')
    .where('known_device.token_hash', '=', given.token_hash)
    .where('user_account.email', '=', given.email)
    .where('known_device.expires_at', '>', given.now),
);

export const deleteExpiredKnownDevices = platformStatement<{ now: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('known_device').where('expires_at', '<', given.now),
);
