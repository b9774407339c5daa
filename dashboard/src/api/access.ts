/**
 * The caller of this page and their permissions, from the server. Actions that would be refused are not shown; the
 * server decides again for each request.
 */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, platform } from './client.ts';
import { setCsrfToken } from './csrf-token.ts';
import type { components } from './platform.gen.ts';
import { workspace } from './workspace.ts';

export type Access = components['schemas']['Access'];
export type Permission = components['schemas']['CallerPermission'];

/** After this time the roles are read again, because they may have changed. */
const FRESH_MILLISECONDS = 60_000;

async function readAccess(): Promise<Access> {
  const query = workspace ? { organization: workspace.organizationId, workspace: workspace.workspaceId } : {};
  const access = await answered(platform.GET('/me/access', { params: { query } }));
  setCsrfToken(access.csrfToken ?? undefined);
  return access;
}

export const accessQuery = queryOptions({
  queryKey: ['/me/access'],
  queryFn: readAccess,
  staleTime: FRESH_MILLISECONDS,
  refetchOnWindowFocus: true,
});

/** Undefined until the server has answered. */
export function useAccess(): Access | undefined {
  return useQuery(accessQuery).data;
}

/** True if an action with this permission is shown; false until the server has answered. */
export function useMay(permission: Permission): boolean {
  return useAccess()?.permissions.includes(permission) ?? false;
}

export type Organization = Access['organizations'][number];

/**
 * The organization of a page about people: the one in its address, else that of the workspace, else the first.
 * Undefined for a person without one.
 */
export function useOrganization(slug: string | undefined): Organization | undefined {
  const access = useAccess();
  return (
    access?.organizations.find((one) => one.slug === slug) ??
    access?.organizations.find(({ id }) => id === access.organizationId) ??
    access?.organizations[0]
  );
}
