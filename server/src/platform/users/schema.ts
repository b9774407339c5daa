import { DateTime, Enum, Nullable, Shape, type Static, Type, Uuid } from '../../schema/kinds.ts';

/** A suspended person has no access until the account is active again. */
export const UserState = Enum('UserState', ['active', 'suspended']);
export type UserState = Static<typeof UserState>;

export const User = Shape(
  'User',
  { id: Uuid(), email: Type.String(), name: Nullable(Type.String()), createdAt: DateTime() },
  'ignore',
);
