/** Fields that several resources of the platform API share. */

import { ORGANIZATION_ROLES, ROLES } from '../identity/access/access.ts';
import { DateTime, Enum, refine, Type, Uuid } from '../schema/kinds.ts';
import { isUuid } from '../values/id.ts';

/** The id, and the times at which a row was made and last changed. */
export const stamps = { id: Uuid(), createdAt: DateTime(), updatedAt: DateTime() };

export const OrganizationRoleField = Enum('OrganizationRole', ORGANIZATION_ROLES);

/** The role on a workspace or a server. */
export const RoleField = Enum('Role', ROLES);

const MAX_NAME = 200;

/** A name for people: not empty, no control characters, no white space around it. */
export const DisplayName = refine(Type.String({ minLength: 1, maxLength: MAX_NAME }), (text) =>
  text.trim() === text && !/\p{Cc}/u.test(text)
    ? undefined
    : 'must not begin or end with a space or contain control characters',
);

/** A name in addresses, where ids are accepted too. */
export const Slug = refine(Type.String({ minLength: 1, maxLength: 60 }), (text) => {
  if (isUuid(text)) return 'must not look like an id';
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) ? undefined : 'must be lower-case letters, digits and single dashes';
});
