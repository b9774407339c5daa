import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { issuerOfUser } from '../../users/queries.ts';
import type { Member } from './schema.ts';

export type Place = Pick<Row<'membership'>, 'organization_id' | 'user_id'>;

export const memberships = rows('membership');

type MemberRow = Pick<Row<'user_account'>, 'id' | 'email' | 'name' | 'state'> &
  Pick<Row<'membership'>, 'role' | 'created' | 'updated'> & {
    /** Null for a person who has not signed in through an identity provider. */
    readonly issuer: string | null;
  };

const shown = [
  'user_account.id',
  'user_account.email',
  'user_account.name',
  'user_account.state',
  'membership.role',
  'membership.created',
  'membership.updated',
] as const;

/** `text` is a part of the name or of the address. */
export const listMembers = platformStatement<
  { organization_id: string; text: string; cursor: string; limit: number },
  MemberRow
>((query, given, dialect) =>
  query
    .selectFrom('membership')
    .innerJoin('user_account', 'user_account.id', 'membership.user_id')
    .select(shown)
    .select(issuerOfUser.as('issuer'))
    .where('membership.organization_id', '=', given.organization_id)
    .where(dialect.containsLiterally(sql`coalesce(user_account.name, '') || ' ' || user_account.email`, given.text))
    .where('user_account.id', '>', given.cursor)
    .orderBy('user_account.id')
    .limit(given.limit),
);

export const findMember = platformStatement<Place, MemberRow>((query, given) =>
  query
    .selectFrom('membership')
    .innerJoin('user_account', 'user_account.id', 'membership.user_id')
    .select(shown)
    .where('membership.organization_id', '=', given.organization_id)
    .where('membership.user_id', '=', given.user_id),
);

/** `email` is in lower case. */
export const findMemberByEmail = platformStatement<
  { organization_id: string; email: string },
  Pick<Row<'membership'>, 'user_id'>
>((query, given) =>
  query
    .selectFrom('membership')
    .innerJoin('user_account', 'user_account.id', 'membership.user_id')
    .select('membership.user_id')
    .where('membership.organization_id', '=', given.organization_id)
    .where('user_account.email', '=', given.email),
);

/**
 * The active administrators of an organization. `touchOrganization` locks the organization before they are counted, so
 * that two who leave at once cannot both assume that the other stays.
 */
export const listAdministrators = platformStatement<{ organization_id: string }, { user_id: string; email: string }>(
  (query, given) =>
    query
      .selectFrom('membership')
      .innerJoin('user_account', 'user_account.id', 'membership.user_id')
      .select(['membership.user_id', 'user_account.email'])
      .where('membership.organization_id', '=', given.organization_id)
      .where('membership.role', '=', 'admin')
      .where('user_account.state', '=', 'active'),
);

/** Call it in a transaction that has locked the organization. */
export async function isLastAdministrator(tx: PlatformTx, { organization_id, user_id }: Place): Promise<boolean> {
  const administrators = await tx.all(listAdministrators, { organization_id });
  return administrators.length === 1 && administrators[0]?.user_id === user_id;
}

export function memberOf(row: MemberRow): Member {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role as Member['role'],
    state: row.state as Member['state'],
    isLinked: row.issuer !== null,
    createdAt: row.created,
    updatedAt: row.updated,
  };
}
