import { DateTime, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { OrganizationRoleField } from '../../fields.ts';
import { List } from '../../page.ts';
import { UserState } from '../../users/schema.ts';

/**
 * A person in an organization; `id` is the user's. `isLinked` is true if the person has signed in through an identity
 * provider.
 */
export const Member = Shape(
  'Member',
  {
    id: Uuid(),
    email: Type.String(),
    name: Nullable(Type.String()),
    role: OrganizationRoleField,
    state: UserState,
    isLinked: Type.Boolean(),
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  'ignore',
);
export type Member = Static<typeof Member>;

export const MemberUpdate = Shape('MemberUpdate', { role: OrganizationRoleField });
export type MemberUpdate = Static<typeof MemberUpdate>;

export const MemberList = List('MemberList', Member);
