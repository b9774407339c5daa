import { DateTime, Enum, Nullable, Shape, type Static, Type, Uuid, withDefault } from '../../../schema/kinds.ts';
import { DisplayName, OrganizationRoleField } from '../../fields.ts';
import { List } from '../../page.ts';
import { EmailAddress, Password } from '../sessions/schema.ts';

const InvitationState = Enum('InvitationState', ['pending', 'accepted', 'expired', 'revoked']);

export const Invitation = Shape(
  'Invitation',
  {
    id: Uuid(),
    email: Type.String(),
    role: OrganizationRoleField,
    state: InvitationState,
    createdAt: DateTime(),
    expiresAt: DateTime(),
  },
  'ignore',
);
export type Invitation = Static<typeof Invitation>;

export const InvitationCreate = Shape('InvitationCreate', {
  email: EmailAddress,
  role: withDefault(OrganizationRoleField, 'member'),
});
export type InvitationCreate = Static<typeof InvitationCreate>;

/** The result of sending a mail: whether the mail server accepted it, and if not, why. */
export const MailDelivery = Shape('MailDelivery', { sent: Type.Boolean(), reason: Nullable(Type.String()) }, 'ignore');
export type MailDelivery = Static<typeof MailDelivery>;

/** Only this answer and the mail contain the token. `mail` is null if the server sends no mail. */
export const InvitationCreated = Shape(
  'InvitationCreated',
  { invitation: Invitation, token: Type.String(), url: Type.String(), mail: Nullable(MailDelivery) },
  'ignore',
);

/** A new person chooses a password. A person with an account signs in first and sends neither. */
export const InvitationAccept = Shape('InvitationAccept', {
  email: Type.Optional(EmailAddress),
  name: withDefault(Nullable(DisplayName), null),
  password: Type.Optional(Password),
});
export type InvitationAccept = Static<typeof InvitationAccept>;

export const InvitationList = List('InvitationList', Invitation);
