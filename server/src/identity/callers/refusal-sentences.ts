/** Sentences for refused callers: each says what to do. No sentence reveals what exists. */
import type { Config } from '../../config.ts';
import { type ActorState, type ActorType, isAtLeast, ROLES, type Role } from '../access/access.ts';
import { type Permission, roleFor } from '../access/permissions.ts';
import type { Target } from './target.ts';

const BEARER = 'other programs send the header Authorization: Bearer <key>';

/**
 * The sentence for a credential that is missing or not valid; it is the same for both. It begins with the reference's
 * word, which clients look for. Source: `prefect/client/orchestration`, 3.9.1; the setting that each client needs was
 * measured with clients 3.0.11 to 3.9.1.
 */
export function unauthorizedSentence({ apiAuth }: Pick<Config, 'apiAuth'>, target: Target): string {
  if (target.kind === 'hosted') {
    return `Unauthorized. This address needs a valid API key. Prefect clients set PREFECT_API_KEY to it, and PREFECT_CLOUD_API_URL to the part of PREFECT_API_URL up to /api; ${BEARER}.`;
  }
  if (apiAuth === 'key') {
    return `Unauthorized. This address needs a valid API key. Prefect clients set PREFECT_API_AUTH_STRING to it; ${BEARER}.`;
  }
  return 'Unauthorized. This address needs a user and a password. It does not accept API keys. Prefect clients set PREFECT_API_AUTH_STRING=user:password.';
}

/** `place` is, for example, `in this workspace`. `role` is the caller's; null without one. */
export function lacksRole(required: Role, place: string, role: Role | null, what = 'This'): string {
  const enough = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    ROLES.filter((one) => isAtLeast(one, required)),
  );
  return `${what} requires the role ${enough} ${place}; you have ${role ?? 'none'}. An administrator can grant it.`;
}

/** Like `lacksRole`, for the API of a workspace and the permission that the route requires. */
export function lacksPermission(permission: Permission | undefined, role: Role | null): string {
  const required = permission === undefined ? 'viewer' : roleFor(permission);
  return `Forbidden. ${lacksRole(required, 'in this workspace', role, permission)}`;
}

/** For example, `This service account is suspended.` */
export function notActive(type: ActorType, state: ActorState): string {
  return `This ${type === 'user' ? 'user' : 'service account'} is ${state}.`;
}
