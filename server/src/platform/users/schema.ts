import { DateTime, Nullable, Shape, Type, Uuid } from '../../schema/kinds.ts';

export const User = Shape(
  'User',
  { id: Uuid(), email: Type.String(), name: Nullable(Type.String()), createdAt: DateTime() },
  'ignore',
);
