import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { grantRoutes } from '../grants/routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { workspaceFor } from './access.ts';
import { changeWorkspace, createWorkspace, deleteWorkspace } from './operations.ts';
import { listVisibleWorkspaces, workspaceOf } from './queries.ts';
import { putRetention, readRetention } from './retention.ts';
import { Retention, RetentionPut } from './retention-schema.ts';
import { Workspace, WorkspaceCreate, WorkspaceList, WorkspaceUpdate } from './schema.ts';

const { get, post, put, patch, remove } = organizationRoutes('Workspaces', 'member');

export const workspaceRoutes = [
  get('/workspaces', 'listWorkspaces', {
    summary: 'List workspaces',
    description:
      'The workspaces in which the caller has a role; all workspaces for administrators of the organization.',
    query: pageQuery,
    answers: WorkspaceList,
    handler: ({ context, query }) => {
      const { organization, caller } = context;
      const scope = {
        organization_id: organization.id,
        organization_role: organization.role,
        actor_id: caller.actor.id,
      };
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listVisibleWorkspaces, { ...scope, ...position });
      return readPage(query, 'ascending', read, workspaceOf);
    },
  }),
  post('/workspaces', 'createWorkspace', {
    access: 'organization:admin',
    summary: 'Create a workspace',
    description:
      'Creates a workspace. Clients reach it at `/api/accounts/<organization>/workspaces/<workspace>`, each given by its id or by its slug or handle. `defaultRole` is the role of members without a grant; null for none. 409 `handle_taken` when the handle is in use.',
    conflicts: ['handle_taken'],
    body: WorkspaceCreate,
    answers: [201, Workspace],
    handler: ({ context, body }) => createWorkspace(context, body),
  }),
  get('/workspaces/{id}', 'readWorkspace', {
    summary: 'Read a workspace',
    description: 'One workspace by id. 404 when there is none that the caller may see.',
    answers: Workspace,
    handler: async ({ context, path }) => workspaceOf(await workspaceFor(context, path.id, 'viewer')),
  }),
  patch('/workspaces/{id}', 'updateWorkspace', {
    summary: 'Update a workspace',
    description:
      'Changes name, handle, description or default role. Omitted fields do not change. 409 `handle_taken` when the handle is in use.',
    conflicts: ['handle_taken'],
    body: WorkspaceUpdate,
    answers: Workspace,
    handler: async ({ context, path, body }) =>
      await changeWorkspace(context, await workspaceFor(context, path.id, 'admin'), body),
  }),
  get('/workspaces/{id}/retention', 'readWorkspaceRetention', {
    summary: 'Read the retention of a workspace',
    description: 'How long the workspace keeps its rows, in seconds. Null: as long as the server does.',
    answers: Retention,
    handler: async ({ context, path }) => readRetention(context, await workspaceFor(context, path.id, 'viewer')),
  }),
  put('/workspaces/{id}/retention', 'setWorkspaceRetention', {
    summary: 'Replace the retention of a workspace',
    description:
      'Rows that are older are deleted within an hour or two. A workspace cannot keep its rows longer than the server, nor the logs of a deployment longer than its other logs. For administrators of the workspace.',
    body: RetentionPut,
    answers: Retention,
    handler: async ({ context, path, body }) =>
      putRetention(context, await workspaceFor(context, path.id, 'admin'), body),
  }),
  remove('/workspaces/{id}', 'deleteWorkspace', {
    summary: 'Delete a workspace',
    description: 'Deletes the workspace with its contents. 409 `default_workspace` for the one behind `/api`.',
    conflicts: ['default_workspace'],
    handler: async ({ context, path }) => deleteWorkspace(context, await workspaceFor(context, path.id, 'admin')),
  }),
  ...grantRoutes({
    tag: 'Workspaces',
    path: '/workspaces/{id}',
    parameter: 'id',
    name: 'Workspace',
    resourceFor: async (context, id) => {
      const { name } = await workspaceFor(context, id, 'admin');
      return { type: 'workspace', id, name };
    },
  }),
];
