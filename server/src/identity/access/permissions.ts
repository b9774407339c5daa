import { isAtLeast, type Role } from './access.ts';

/**
 * The permission that a route or socket of a workspace requires. Reading includes the queries that are sent as POST
 * (filter, count, history, paginate). `public` needs no credential at all.
 */
const resources = [
  'flows',
  'flow_runs',
  'task_runs',
  'logs',
  'artifacts',
  'variables',
  'saved_searches',
  'deployments',
  'work_pools',
  'work_queues',
  'concurrency_limits',
  'blocks',
  'automations',
  'events',
  'webhooks',
  'settings',
  'secrets',
] as const;

type ResourcePermission = `${(typeof resources)[number]}:${'read' | 'write'}`;
export type Permission = 'public' | ResourcePermission;

/** All permissions in a workspace. */
export const WORKSPACE_PERMISSIONS: readonly ResourcePermission[] = resources.flatMap((resource) => [
  `${resource}:read` as const,
  `${resource}:write` as const,
]);

/**
 * True if a role in the workspace may read secrets in clear. A caller has no role where the access mode requires no
 * credential.
 */
export function mayReadSecrets(role: Role | undefined): boolean {
  return role === undefined || isAtLeast(role, roleFor('secrets:read'));
}

/** The role in the workspace that a permission requires. Source: docs/identity.md, "Who may do what". */
export function roleFor(permission: Permission): Role {
  // A secret that was read gives its reader access to everything that it unlocks.
  if (permission === 'secrets:read') return 'editor';
  if (permission === 'public' || permission.endsWith(':read')) return 'viewer';
  return permission === 'settings:write' ? 'admin' : 'editor';
}
