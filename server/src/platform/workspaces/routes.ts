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
    summary: 'The workspaces that the caller has a role in.',
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
    conflicts: ['handle_taken'],
    summary: 'Makes a workspace, ready for clients.',
    body: WorkspaceCreate,
    responses: { 201: Workspace },
    handler: async ({ context, body }) => created(await createWorkspace(context, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readWorkspace',
    summary: 'One workspace.',
    responses: { 200: Workspace },
    handler: async ({ context, path }) => ok(workspaceOf(await workspaceFor(context, path.id, 'viewer'))),
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateWorkspace',
    conflicts: ['handle_taken'],
    summary: 'Changes name, handle, description or default role.',
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
    conflicts: ['default_workspace'],
    summary: 'Deletes the workspace with all that is in it.',
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
