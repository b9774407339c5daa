import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { grantRoutes } from '../grants/routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { workspaceFor } from './access.ts';
import { changeWorkspace, createWorkspace, deleteWorkspace } from './operations.ts';
import { listVisibleWorkspaces, workspaceOf } from './queries.ts';
import { Workspace, WorkspaceCreate, WorkspaceList, WorkspaceUpdate } from './schema.ts';

const collection = '/organizations/{org}/workspaces';
const one = `${collection}/{id}`;
const tags = ['Workspaces'];
const ofCollection = { tags, access: 'organization:member', parameters: { org: 'text' } } as const;
const ofOne = { tags, access: 'organization:member', parameters: { org: 'text', id: 'uuid' } } as const;

export const workspaceRoutes = [
  platformRoute({
    ...ofCollection,
    method: 'GET',
    path: collection,
    operationId: 'listWorkspaces',
    summary: 'List workspaces',
    description: 'The workspaces that the caller has a role in; all of them for administrators of the organization.',
    query: pageQuery,
    responses: { 200: WorkspaceList },
    handler: async ({ context, query }) => {
      const { organization, caller } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
      };
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listVisibleWorkspaces, { ...scope, ...position });
      return ok(await readPage(query, 'ascending', read, workspaceOf));
    },
  }),
  platformRoute({
    ...ofCollection,
    access: 'organization:admin',
    method: 'POST',
    path: collection,
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    description:
      'Makes a workspace that is ready for clients at `/api/accounts/<organization>/workspaces/<workspace>`, each named by its id or by its slug or handle. `defaultRole` is what members may do without a grant; null is nothing. 409 `handle_taken` when the handle is in use.',
    conflicts: ['handle_taken'],
    body: WorkspaceCreate,
    responses: { 201: Workspace },
    handler: async ({ context, body }) => created(await createWorkspace(context, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readWorkspace',
    summary: 'Read a workspace',
    description: 'One workspace by id. 404 when there is none that the caller may see.',
    responses: { 200: Workspace },
    handler: async ({ context, path }) => ok(workspaceOf(await workspaceFor(context, path.id, 'viewer'))),
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateWorkspace',
    summary: 'Update a workspace',
    description:
      'Changes name, handle, description or default role; fields that are left out stay. 409 `handle_taken` when the handle is in use.',
    conflicts: ['handle_taken'],
    body: WorkspaceUpdate,
    responses: { 200: Workspace },
    handler: async ({ context, path, body }) =>
      ok(await changeWorkspace(context, await workspaceFor(context, path.id, 'admin'), body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description: 'Deletes it with all that is in it. The one behind `/api` stays: 409 `default_workspace`.',
    conflicts: ['default_workspace'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await deleteWorkspace(context, await workspaceFor(context, path.id, 'admin'));
      return noContent;
    },
  }),
  ...grantRoutes({
    tags,
    path: one,
    parameter: 'id',
    parameterKind: 'uuid',
    name: 'Workspace',
    resourceFor: async (context, id) => {
      const { name } = await workspaceFor(context, id, 'admin');
      return { type: 'workspace', id, name };
    },
  }),
];
