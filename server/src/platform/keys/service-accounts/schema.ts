import { Enum, givenFieldsOnly, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';
import { DisplayName, OrganizationRoleField, stamps } from '../../fields.ts';
import { List } from '../../page.ts';
import { ApiKey, Descriptor, ExpiryField } from '../api-keys/schema.ts';

const ServiceAccountState = Enum('ServiceAccountState', ['active', 'suspended', 'deleted']);

export const ServiceAccount = Shape(
  'ServiceAccount',
  {
    ...stamps,
    name: Type.String(),
    description: Type.String(),
    role: OrganizationRoleField,
    state: ServiceAccountState,
  },
  'ignore',
);
export type ServiceAccount = Static<typeof ServiceAccount>;

const Description = Type.String({ maxLength: 2000 });

export const ServiceAccountCreate = Shape('ServiceAccountCreate', {
  name: DisplayName,
  description: withDefault(Description, ''),
  role: withDefault(OrganizationRoleField, 'member'),
  /** The descriptor of the account's first key. */
  descriptor: withDefault(Descriptor, 'initial key'),
  expiresAt: ExpiryField,
});
export type ServiceAccountCreate = Static<typeof ServiceAccountCreate>;

export const ServiceAccountUpdate = givenFieldsOnly(
  Shape('ServiceAccountUpdate', {
    name: Type.Optional(DisplayName),
    description: Type.Optional(Description),
    role: Type.Optional(OrganizationRoleField),
  }),
);
export type ServiceAccountUpdate = Static<typeof ServiceAccountUpdate>;

export const ServiceAccountList = List('ServiceAccountList', ServiceAccount);

export const ServiceAccountCreated = Shape(
  'ServiceAccountCreated',
  { serviceAccount: ServiceAccount, apiKey: ApiKey, secret: Type.String() },
  'ignore',
);
