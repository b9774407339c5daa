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

/** Every permission in a workspace. */
export const WORKSPACE_PERMISSIONS: readonly ResourcePermission[] = resources.flatMap((resource) => [
  `${resource}:read` as const,
  `${resource}:write` as const,
]);

/** May a role in the workspace read secrets in clear; without a role where the access mode asks for none. */
export function mayReadSecrets(role: Role | undefined): boolean {
  return role === undefined || isAtLeast(role, roleFor('secrets:read'));
}

/** The role in the workspace that a permission requires. Source: docs/identity.md, "Who may do what". */
export function roleFor(permission: Permission): Role {
  // An actor who reads a secret can use it for everything that it opens.
  if (permission === 'secrets:read') return 'editor';
  if (permission === 'public' || permission.endsWith(':read')) return 'viewer';
  return permission === 'settings:write' ? 'admin' : 'editor';
}
