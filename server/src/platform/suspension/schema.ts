import { DateTime, Enum, Nullable, Shape, Type, Uuid } from '../../schema/kinds.ts';

const UserState = Enum('UserState', ['active', 'suspended']);

/** A person as operators see them. */
export const UserAccount = Shape(
  'UserAccount',
  { id: Uuid(), email: Type.String(), name: Nullable(Type.String()), state: UserState, createdAt: DateTime() },
  'ignore',
);
