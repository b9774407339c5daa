import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';
import type { Invitation } from './schema.ts';

export type InvitationRow = Row<'invitation'>;

export const insertInvitation = platformStatement<InvitationRow, unknown>((query, given) =>
  query.insertInto('invitation').values(rowOf('invitation', given)),
);

export const listInvitations = platformStatement<
  { organization_id: string; cursor: string; limit: number },
  InvitationRow
>((query, given) =>
  query
    .selectFrom('invitation')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where('id', '>', given.cursor)
    .orderBy('id')
    .limit(given.limit),
);

export type OpenInvitation = Pick<InvitationRow, 'email' | 'role'> & {
  readonly organization_name: string;
  /** The account that has the address, when there is one. */
  readonly account_id: string | null;
};

/** One that could be accepted now. */
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

/** Only the first request accepts: a second one finds nothing. */
export const takeInvitation = platformStatement<{ token_hash: string; now: Timestamp }, InvitationRow>((query, given) =>
  query
    .updateTable('invitation')
    .set({ state: 'accepted', updated: given.now })
    .where('token_hash', '=', given.token_hash)
    .where('state', '=', 'pending')
    .where('expires_at', '>', given.now)
    .returningAll(),
);

export const revokeInvitation = platformStatement<
  { organization_id: string; id: string; now: Timestamp },
  InvitationRow
>((query, given) =>
  query
    .updateTable('invitation')
    .set({ state: 'revoked', updated: given.now })
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id)
    .where('state', '=', 'pending')
    .returningAll(),
);

/** Earlier invitations of the same address, which a new one replaces. */
export const revokeEarlierInvitations = platformStatement<
  { organization_id: string; email: string; now: Timestamp },
  unknown
>((query, given) =>
  query
    .updateTable('invitation')
    .set({ state: 'revoked', updated: given.now })
    .where('organization_id', '=', given.organization_id)
    .where('email', '=', given.email)
    .where('state', '=', 'pending'),
);

export function invitationOf(row: InvitationRow, now: Timestamp): Invitation {
  const isExpired = row.state === 'pending' && row.expires_at <= now;
  return {
    id: row.id,
    email: row.email,
    role: row.role as Invitation['role'],
    state: isExpired ? 'expired' : (row.state as Invitation['state']),
    createdAt: row.created,
    expiresAt: row.expires_at,
  };
}
