import { described, givenFieldsOnly, Nullable, Shape, type Static, Type } from '../../schema/kinds.ts';
import { DisplayName, OrganizationRoleField, Slug, stamps } from '../fields.ts';
import { List } from '../page.ts';

const MOST_DAYS = 3650;

const KeyAge = described(
  Nullable(Type.Integer({ minimum: 1, maximum: MOST_DAYS })),
  'The maximum age of API keys in days; null for no maximum. The organization refuses older keys (403).',
);

const fields = { ...stamps, name: Type.String(), slug: Type.String(), maxKeyAgeDays: KeyAge };

export const Organization = Shape('Organization', fields, 'ignore');
export type Organization = Static<typeof Organization>;

/** One of the caller's own organizations, with the caller's role in it. */
export const OwnOrganization = Shape('OwnOrganization', { ...fields, role: OrganizationRoleField }, 'ignore');
export type OwnOrganization = Static<typeof OwnOrganization>;

export const OrganizationCreate = Shape('OrganizationCreate', { name: DisplayName, slug: Slug });
export type OrganizationCreate = Static<typeof OrganizationCreate>;

export const OrganizationUpdate = givenFieldsOnly(
  Shape('OrganizationUpdate', {
    name: Type.Optional(DisplayName),
    slug: Type.Optional(Slug),
    maxKeyAgeDays: Type.Optional(KeyAge),
  }),
);
export type OrganizationUpdate = Static<typeof OrganizationUpdate>;

export const OwnOrganizationList = List('OwnOrganizationList', OwnOrganization);
