import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { removeGrant, setGrant } from '../grants/operations.ts';
import { grantOf, listGrants } from '../grants/queries.ts';
import { GrantList, GrantPut } from '../grants/schema.ts';
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
const ofGrant = { ...ofOne, parameters: { org: 'text', id: 'uuid', actorId: 'uuid' } } as const;

async function grantedWorkspace(context: OrganizationContext, id: string) {
  const { name } = await workspaceFor(context, id, 'admin');
  return { type: 'workspace', id, name } as const;
}

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
    summary: 'Deletes the workspace with all that is in it.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await deleteWorkspace(context, await workspaceFor(context, path.id, 'admin'));
      return noContent;
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: `${one}/grants`,
    operationId: 'listWorkspaceGrants',
    summary: 'The explicit roles in the workspace.',
    query: pageQuery,
    responses: { 200: GrantList },
    handler: async ({ context, path, query }) => {
      const { id } = await grantedWorkspace(context, path.id);
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listGrants, { resource_id: id, ...position });
      return ok(await readPage(query, 'ascending', read, grantOf));
    },
  }),
  platformRoute({
    ...ofGrant,
    method: 'PUT',
    path: `${one}/grants/{actorId}`,
    operationId: 'setWorkspaceGrant',
    summary: 'Gives a member or a service account an explicit role, in force at the next request.',
    body: GrantPut,
    responses: { 204: null },
    handler: async ({ context, path, body }) => {
      await setGrant(context, await grantedWorkspace(context, path.id), path.actorId, body.role);
      return noContent;
    },
  }),
  platformRoute({
    ...ofGrant,
    method: 'DELETE',
    path: `${one}/grants/{actorId}`,
    operationId: 'removeWorkspaceGrant',
    summary: 'Ends an explicit role; the default role applies from then on.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await removeGrant(context, await grantedWorkspace(context, path.id), path.actorId);
      return noContent;
    },
  }),
];
