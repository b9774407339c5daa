import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';

export type DeviceRow = Row<'device_authorization'>;

export const insertDevice = platformStatement<DeviceRow, Pick<DeviceRow, 'id'>>((query, given) =>
  query
    .insertInto('device_authorization')
    .values(rowOf('device_authorization', given))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

/** Notes the poll and locks the row, so that two polls at once cannot both take the token. Answers it as it was. */
export const pollDevice = platformStatement<{ device_code_hash: string; now: Timestamp }, DeviceRow>((query, given) =>
  query
    .updateTable('device_authorization')
    .set({ last_polled_at: given.now })
    .where('device_code_hash', '=', given.device_code_hash)
    .returningAll(),
);

export const findDeviceByCode = platformStatement<{ device_code_hash: string }, DeviceRow>((query, given) =>
  query.selectFrom('device_authorization').selectAll().where('device_code_hash', '=', given.device_code_hash),
);

export const findWaitingDevice = platformStatement<{ user_code: string; now: Timestamp }, DeviceRow>((query, given) =>
  query
    .selectFrom('device_authorization')
    .selectAll()
    .where('user_code', '=', given.user_code)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', given.now),
);

export const listWaitingAddresses = platformStatement<{ now: Timestamp }, Pick<DeviceRow, 'address'>>((query, given) =>
  query
    .selectFrom('device_authorization')
    .select('address')
    .where('state', '=', 'waiting')
    .where('expires_at', '>', given.now),
);

export const decideDevice = platformStatement<
  { user_code: string; user_id: string; state: string; now: Timestamp },
  DeviceRow
>((query, given) =>
  query
    .updateTable('device_authorization')
    .set({ state: given.state, user_id: given.user_id })
    .where('user_code', '=', given.user_code)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', given.now)
    .returningAll(),
);

export const deleteDevice = platformStatement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('device_authorization').where('id', '=', given.id),
);

export const deleteExpiredDevices = platformStatement<{ before: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('device_authorization').where('expires_at', '<', given.before),
);
