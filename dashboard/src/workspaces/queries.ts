/** Queries and changes of the pages of workspaces. `org` is the id or slug of an organization. */
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { platformRead as read } from '../api/read.ts';

export type Workspace = components['schemas']['Workspace'];
export type Grant = components['schemas']['Grant'];
export type Role = components['schemas']['Role'];

export const roleTitles: Readonly<Record<Role, string>> = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' };

export const roles = Object.entries(roleTitles) as readonly (readonly [Role, string])[];

/** Default roles of members without a grant; `none` stands for null. */
export const defaultRoles: readonly (readonly [Role | 'none', string])[] = [['none', 'Nothing'], ...roles];

export const workspacesQuery = (org: string) =>
  read.list('/organizations/{org}/workspaces', { params: { path: { org } } });

export const workspaceQuery = (org: string, id: string) =>
  read.one('/organizations/{org}/workspaces/{id}', { params: { path: { org, id } } });

export interface WorkspaceForm {
  readonly name: string;
  readonly handle: string;
  readonly description: string;
  readonly defaultRole: Role | null;
}

export const createWorkspace = (org: string, form: WorkspaceForm) =>
  answered(platform.POST('/organizations/{org}/workspaces', { params: { path: { org } }, body: form }));

export const updateWorkspace = (org: string, id: string, form: WorkspaceForm) =>
  answered(platform.PATCH('/organizations/{org}/workspaces/{id}', { params: { path: { org, id } }, body: form }));

export const deleteWorkspace = (org: string, id: string) =>
  answered(platform.DELETE('/organizations/{org}/workspaces/{id}', { params: { path: { org, id } } }));

export const grantsQuery = (org: string, id: string) =>
  read.list('/organizations/{org}/workspaces/{id}/grants', { params: { path: { org, id } } });

export const setGrant = (org: string, id: string, actorId: string, role: Role) =>
  answered(
    platform.PUT('/organizations/{org}/workspaces/{id}/grants/{actorId}', {
      params: { path: { org, id, actorId } },
      body: { role },
    }),
  );

export const removeGrant = (org: string, id: string, actorId: string) =>
  answered(
    platform.DELETE('/organizations/{org}/workspaces/{id}/grants/{actorId}', {
      params: { path: { org, id, actorId } },
    }),
  );

export const createOrganization = (name: string, slug: string) =>
  answered(platform.POST('/organizations', { body: { name, slug } }));
