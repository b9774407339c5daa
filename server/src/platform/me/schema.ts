import { DateTime, Nullable, Shape, Type, Uuid } from '../../schema/kinds.ts';
import { ServiceAccount } from '../service-accounts/schema.ts';

export const User = Shape(
  'User',
  { id: Uuid(), email: Type.String(), name: Nullable(Type.String()), createdAt: DateTime() },
  'ignore',
);

/** The caller: `user` for a person, `serviceAccount` for a program. */
export const Me = Shape('Me', { user: Nullable(User), serviceAccount: Nullable(ServiceAccount) }, 'ignore');
