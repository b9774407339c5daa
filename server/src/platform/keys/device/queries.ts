import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';
import { answerOf } from '../../answer-of.ts';
import { WaitingDevice } from './schema.ts';

type DeviceRow = Row<'device_authorization'>;

export const devices = rows('device_authorization');

export const waitingDeviceOf = answerOf(WaitingDevice, { client: 'client_id', askedAt: 'created' });

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

export const deleteExpiredDevices = platformStatement<{ before: Timestamp }, unknown>((query, given) =>
  query.deleteFrom('device_authorization').where('expires_at', '<', given.before),
);
