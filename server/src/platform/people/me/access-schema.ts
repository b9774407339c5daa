import { WORKSPACE_PERMISSIONS } from '../../../identity/access/permissions.ts';
import { described, Enum, Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { OrganizationRoleField, RoleField } from '../../fields.ts';
import { User } from '../../users/schema.ts';

/** A segment of an address. An unknown one is answered like a workspace that does not exist. */
const PathName = Type.String({ maxLength: 200 });

/**
 * Rights of a caller in addition to the permissions in a workspace: to administer the workspace itself, the
 * organization, or the installation, and to make another organization.
 */
export const PLATFORM_PERMISSIONS = [
  'workspace:admin',
  'organization:member',
  'organization:admin',
  'organizations:create',
  'installation:operate',
] as const;

export const CallerPermission = Enum('CallerPermission', [...WORKSPACE_PERMISSIONS, ...PLATFORM_PERMISSIONS] as const);
export type CallerPermission = Static<typeof CallerPermission>;

const AccessibleWorkspace = Shape(
  'AccessibleWorkspace',
  {
    id: Uuid(),
    handle: Type.String(),
    name: Type.String(),
    role: RoleField,
    isDefault: described(Type.Boolean(), 'Whether it is the workspace behind `/api`.'),
  },
  'ignore',
);

const AccessibleOrganization = Shape(
  'AccessibleOrganization',
  {
    id: Uuid(),
    slug: Type.String(),
    name: Type.String(),
    role: OrganizationRoleField,
    maxKeyAgeDays: described(Nullable(Type.Integer()), 'The maximum age of API keys in days; null for no maximum.'),
    workspaces: Type.Array(AccessibleWorkspace),
  },
  'ignore',
);

export const Access = Shape(
  'Access',
  {
    user: described(Nullable(User), 'The person behind the session or key; null for programs and anonymous callers.'),
    csrfToken: described(
      Nullable(Type.String()),
      'The token that a request with a session sends in `x-csrf-token` to change something.',
    ),
    organizations: Type.Array(AccessibleOrganization),
    organizationId: described(Nullable(Uuid()), 'The organization of the requested workspace.'),
    workspaceId: described(Nullable(Uuid()), 'The workspace to which `permissions` apply.'),
    permissions: Type.Array(CallerPermission),
  },
  'ignore',
);
export type Access = Static<typeof Access>;

export const accessQuery = Type.Object({
  organization: described(
    Type.Optional(PathName),
    'Id or slug of the organization of `workspace`, as in a hosted address.',
  ),
  workspace: Type.Optional(PathName),
});
