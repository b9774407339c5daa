import { givenFieldsOnly, Shape, type Static, Type } from '../../schema/kinds.ts';
import { DisplayName, OrganizationRoleField, Slug, stamps } from '../fields.ts';
import { List } from '../page.ts';

export const Organization = Shape('Organization', { ...stamps, name: Type.String(), slug: Type.String() }, 'ignore');
export type Organization = Static<typeof Organization>;

/** As one of the caller's own, with the caller's role in it. */
export const OwnOrganization = Shape(
  'OwnOrganization',
  { ...stamps, name: Type.String(), slug: Type.String(), role: OrganizationRoleField },
  'ignore',
);
export type OwnOrganization = Static<typeof OwnOrganization>;

export const OrganizationCreate = Shape('OrganizationCreate', { name: DisplayName, slug: Slug });
export type OrganizationCreate = Static<typeof OrganizationCreate>;

export const OrganizationUpdate = givenFieldsOnly(
  Shape('OrganizationUpdate', { name: Type.Optional(DisplayName), slug: Type.Optional(Slug) }),
);
export type OrganizationUpdate = Static<typeof OrganizationUpdate>;

export const OwnOrganizationList = List('OwnOrganizationList', OwnOrganization);
