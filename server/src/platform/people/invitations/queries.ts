import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';
import { answerOf } from '../../answer-of.ts';
import { Invitation } from './schema.ts';

export type InvitationRow = Row<'invitation'>;

export const invitations = rows('invitation');

export type OpenInvitation = Pick<InvitationRow, 'email' | 'role'> & {
  readonly organization_name: string;
  /** The account with the address, if there is one. */
  readonly account_id: string | null;
};

/** An invitation that can be accepted now. */
export const findOpenInvitation = platformStatement<{ token_hash: string; now: Timestamp }, OpenInvitation>(
  (query, given) =>
    query
      .selectFrom('invitation')
      .innerJoin('organization', 'organization.id', 'invitation.organization_id')
      .leftJoin('user_account', 'user_account.email', 'invitation.email')
      .select([
        'invitation.email',
        'invitation.role',
        'organization.name as organization_name',
        'user_account.id as account_id',
      ])
      .where('invitation.token_hash', '=', given.token_hash)
      .where('invitation.state', '=', 'pending')
      .where('invitation.expires_at', '>', given.now),
);

/** Only the first request can accept: a second one finds no row. */
export const takeInvitation = platformStatement<{ token_hash: string; now: Timestamp }, InvitationRow>((query, given) =>
  query
    .updateTable('invitation')
    .set({ state: 'accepted', updated: given.now })
    .where('token_hash', '=', given.token_hash)
    .where('state', '=', 'pending')
    .where('expires_at', '>', given.now)
    .returningAll(),
);

const shown = answerOf(Invitation, { expiresAt: 'expires_at' });

export function invitationOf(row: InvitationRow, now: Timestamp): Invitation {
  const isExpired = row.state === 'pending' && row.expires_at <= now;
  return shown(isExpired ? { ...row, state: 'expired' } : row);
}
