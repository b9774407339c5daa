import { platformStatement } from '../../database/statement.ts';
import type { PlatformTx } from '../../database/store.ts';
import type { Row } from '../../database/tables.ts';
import { NamedConflict, notFound } from '../../errors.ts';
import type { PlatformChange } from '../../platform-context.ts';
import type { Timestamp } from '../../time.ts';
import { recordAudit } from '../audit/record.ts';
import { listAdministrators } from '../members/queries.ts';
import { endAccess } from '../sessions/end-access.ts';
import { touchOrganization } from '../touch-organization.ts';
import { findUser, lockUser, type UserRow } from '../users/queries.ts';
import type { UserState } from '../users/schema.ts';

type Place = Pick<Row<'membership'>, 'organization_id'> & Pick<Row<'organization'>, 'slug'>;

/** In one order, so that two changes lock the organizations without waiting for each other in a circle. */
const listPlaces = platformStatement<{ user_id: string }, Place>((query, given) =>
  query
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .select(['membership.organization_id', 'organization.slug'])
    .where('membership.user_id', '=', given.user_id)
    .orderBy('membership.organization_id'),
);

const setState = platformStatement<{ id: string; state: UserState; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('user_account').set({ state: given.state, updated: given.now }).where('id', '=', given.id),
);

/**
 * Locks the organizations that the person is in, and answers their ids. Throws NamedConflict `last_admin` when one of them would
 * have no administrator left.
 */
export async function keepAdministrators(
  tx: PlatformTx,
  user: Pick<UserRow, 'id' | 'email'>,
  now: Timestamp,
): Promise<string[]> {
  const places = await tx.all(listPlaces, { user_id: user.id });
  for (const { organization_id, slug } of places) {
    await tx.run(touchOrganization, { organization_id, now });
    const administrators = await tx.all(listAdministrators, { organization_id });
    if (administrators.length === 1 && administrators[0]?.user_id === user.id) {
      throw new NamedConflict(
        'last_admin',
        `${user.email} is the last administrator of "${slug}". Appoint another one first.`,
      );
    }
  }
  return places.map(({ organization_id }) => organization_id);
}

/**
 * Suspended: sessions, keys and devices end, and nothing lets the person in until the account is active again.
 * Memberships, grants and the password stay. 404 without such a user, 409 `last_admin`.
 */
export function setUserState(context: PlatformChange, id: string, state: UserState): Promise<UserRow> {
  const { now } = context;
  return context.transaction(async (tx) => {
    if (state === 'suspended') await keepAdministrators(tx, (await tx.first(findUser, { id })) ?? noUser(), now);
    const user = (await tx.first(lockUser, { id })) ?? noUser();
    await tx.run(setState, { id, state, now });
    if (state === 'suspended') await endAccess(tx, id, now);
    await recordAudit(context, tx, {
      organizationId: null,
      action: state === 'suspended' ? 'user.suspend' : 'user.reactivate',
      target: { type: 'user', id, name: user.email },
    });
    return { ...user, state };
  });
}

function noUser(): never {
  notFound('There is no such user.');
}
