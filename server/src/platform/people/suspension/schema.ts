import { DateTime, Nullable, Shape, Type, Uuid } from '../../../schema/kinds.ts';
import { UserState } from '../../users/schema.ts';

/** A person in the view of operators. */
export const UserAccount = Shape(
  'UserAccount',
  { id: Uuid(), email: Type.String(), name: Nullable(Type.String()), state: UserState, createdAt: DateTime() },
  'ignore',
);
