import { DateTime, Enum, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';
import { RoleField } from '../fields.ts';
import { List } from '../page.ts';

/** An explicit role of one actor on one resource. It overrides the resource's default role, even if it is lower. */
export const Grant = Shape(
  'Grant',
  {
    actorId: Uuid(),
    actorType: Enum('ActorType', ['user', 'service_account']),
    /** Address of a user, name of a service account. */
    actorName: Type.String(),
    role: RoleField,
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  'ignore',
);
export type Grant = Static<typeof Grant>;

export const GrantPut = Shape('GrantPut', { role: RoleField });
export const GrantList = List('GrantList', Grant);
