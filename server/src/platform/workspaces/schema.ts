import {
  described,
  givenFieldsOnly,
  Nullable,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { DisplayName, RoleField, Slug, stamps } from '../fields.ts';
import { List } from '../page.ts';

export const Workspace = Shape(
  'Workspace',
  {
    ...stamps,
    organizationId: Uuid(),
    name: Type.String(),
    handle: Type.String(),
    description: Type.String(),
    /** The role of members without a grant; null for none. */
    defaultRole: described(Nullable(RoleField), 'Role of members of the organization without a grant. Null: none.'),
  },
  'ignore',
);
export type Workspace = Static<typeof Workspace>;

const Description = Type.String({ maxLength: 2000 });

export const WorkspaceCreate = Shape('WorkspaceCreate', {
  name: DisplayName,
  handle: Slug,
  description: withDefault(Description, ''),
  defaultRole: described(
    withDefault(Nullable(RoleField), null),
    'Role of members of the organization without a grant. Null: none.',
  ),
});
export type WorkspaceCreate = Static<typeof WorkspaceCreate>;

export const WorkspaceUpdate = givenFieldsOnly(
  Shape('WorkspaceUpdate', {
    name: Type.Optional(DisplayName),
    handle: Type.Optional(Slug),
    description: Type.Optional(Description),
    defaultRole: described(
      Type.Optional(Nullable(RoleField)),
      'Role of members of the organization without a grant. Null: none.',
    ),
  }),
);
export type WorkspaceUpdate = Static<typeof WorkspaceUpdate>;

export const WorkspaceList = List('WorkspaceList', Workspace);
