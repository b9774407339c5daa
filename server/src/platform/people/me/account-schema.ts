import { DateTime, described, Nullable, Shape, type Static, Type } from '../../../schema/kinds.ts';
import { DisplayName } from '../../fields.ts';
import { User } from '../../users/schema.ts';
import { Password } from '../sessions/schema.ts';

const OwnSession = Shape(
  'OwnSession',
  {
    id: Type.String(),
    createdAt: DateTime(),
    lastSeenAt: DateTime(),
    expiresAt: DateTime(),
    isCurrent: described(Type.Boolean(), 'Whether this request uses the session.'),
  },
  'ignore',
);

export const OwnAccount = Shape(
  'OwnAccount',
  {
    user: User,
    hasPassword: described(Type.Boolean(), 'False for a person who signs in through an identity provider only.'),
    sessions: Type.Array(OwnSession),
  },
  'ignore',
);
export type OwnAccount = Static<typeof OwnAccount>;

export const OwnAccountUpdate = Shape('OwnAccountUpdate', { name: Nullable(DisplayName) });

export const PasswordChange = Shape('PasswordChange', {
  currentPassword: Type.String({ maxLength: 1000 }),
  newPassword: Password,
});
export type PasswordChange = Static<typeof PasswordChange>;
