import type { PlatformChange } from '../../../context/platform-context.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { found, NamedConflict } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { isLastAdministrator } from '../../organizations/members/queries.ts';
import { touchOrganization } from '../../touch-organization.ts';
import { lockUser, type UserRow, users } from '../../users/queries.ts';
import type { UserState } from '../../users/schema.ts';
import { endAccess } from '../sessions/end-access.ts';

const MISSING = 'There is no such user.';

const audit = auditIn('user');

type Place = Pick<Row<'membership'>, 'organization_id'> & Pick<Row<'organization'>, 'slug'>;

/** Lists them in a fixed order, so that two changes cannot wait for each other's locks. */
const listPlaces = platformStatement<{ user_id: string }, Place>((query, given) =>
  query
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .select(['membership.organization_id', 'organization.slug'])
    .where('membership.user_id', '=', given.user_id)
    .orderBy('membership.organization_id'),
);

/**
 * Locks the organizations of the person, and returns their ids. Throws NamedConflict `last_admin` when one of them
 * would have no administrator left.
 */
export async function keepAdministrators(
  tx: PlatformTx,
  user: Pick<UserRow, 'id' | 'email'>,
  now: Timestamp,
): Promise<string[]> {
  const places = await tx.all(listPlaces, { user_id: user.id });
  for (const { organization_id, slug } of places) {
    await tx.run(touchOrganization, { organization_id, now });
    if (await isLastAdministrator(tx, { organization_id, user_id: user.id })) {
      throw new NamedConflict(
        'last_admin',
        `${user.email} is the last administrator of "${slug}". Appoint another one first.`,
      );
    }
  }
  return places.map(({ organization_id }) => organization_id);
}

/**
 * Suspending ends sessions, keys and devices, and the person has no access until the account is active again.
 * Memberships, grants and the password stay. 404 without such a user, 409 `last_admin`.
 */
export function setUserState(context: PlatformChange, id: string, state: UserState): Promise<UserRow> {
  const { now } = context;
  return context.transaction(async (tx) => {
    if (state === 'suspended') await keepAdministrators(tx, found(await users.first(tx, { id }), MISSING), now);
    const user = found(await tx.first(lockUser, { id }), MISSING);
    await users.change(tx, { id }, { state, updated: now });
    if (state === 'suspended') await endAccess(tx, id, now);
    await audit(context, tx, state === 'suspended' ? 'suspend' : 'reactivate', user);
    return { ...user, state };
  });
}
