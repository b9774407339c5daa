/**
 * Who uses this page and what they may do here, as the server answers it. Actions that would be refused are not shown;
 * the server decides again with each request.
 */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, platform } from './client.ts';
import { setCsrfToken } from './csrf-token.ts';
import type { components } from './platform.gen.ts';
import { workspace } from './workspace.ts';

export type Access = components['schemas']['Access'];
export type Permission = components['schemas']['CallerPermission'];

/** Somebody may have changed the person's roles meanwhile. */
const FRESH_MILLISECONDS = 60_000;

async function readAccess(): Promise<Access> {
  const query = workspace ? { organization: workspace.organizationId, workspace: workspace.workspaceId } : {};
  const access = await answered(platform.GET('/me/access', { params: { query } }));
  setCsrfToken(access.csrfToken ?? undefined);
  return access;
}

export const accessQuery = queryOptions({
  queryKey: ['access'],
  queryFn: readAccess,
  staleTime: FRESH_MILLISECONDS,
  refetchOnWindowFocus: true,
});

/** Undefined until the server has answered. */
export function useAccess(): Access | undefined {
  return useQuery(accessQuery).data;
}

/** Whether to show an action that needs this permission; false until the server has answered. */
export function useMay(permission: Permission): boolean {
  return useAccess()?.permissions.includes(permission) ?? false;
}

export type Organization = Access['organizations'][number];

/**
 * The organization that a page of people is about: the one of its address, else that of the workspace, else the first.
 * Undefined for a person in none.
 */
export function useOrganization(slug: string | undefined): Organization | undefined {
  const access = useAccess();
  return (
    access?.organizations.find((one) => one.slug === slug) ??
    access?.organizations.find(({ id }) => id === access.organizationId) ??
    access?.organizations[0]
  );
}
