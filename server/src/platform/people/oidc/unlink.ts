import type { PlatformChange } from '../../../context/platform-context.ts';
import { found, NamedConflict } from '../../../errors.ts';
import { auditIn } from '../../audit/record.ts';
import { lockUser, type UserRow } from '../../users/queries.ts';
import { endAccess } from '../sessions/end-access.ts';
import { identities } from './queries.ts';

const MISSING = 'There is no such user.';

const audit = auditIn('user');

/**
 * Removes the link between a person and the identity provider and ends everything that was obtained by it: the next
 * sign-in with the verified address gets the account. 404 without such a user, 409 `not_linked`.
 */
export function unlinkUser(context: PlatformChange, id: string): Promise<UserRow> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const user = found(await tx.first(lockUser, { id }), MISSING);
    if ((await identities.removeAll(tx, { user_id: id })) === 0) {
      throw new NamedConflict('not_linked', `${user.email} has not signed in through an identity provider.`);
    }
    await endAccess(tx, id, now);
    await audit(context, tx, 'unlink', user);
    return user;
  });
}
