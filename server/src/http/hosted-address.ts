/**
 * The hosted form of an address, `/api/accounts/<organization>/workspaces/<workspace>/…`, serves the same routes as
 * `/api/…`. It is cut to that before routing, so a route exists once, and what was cut decides who is admitted where.
 */
import type { IncomingMessage } from 'node:http';
import { defaultTarget, type Target } from '../identity/authenticate.ts';

const hostedTargets = new WeakMap<IncomingMessage, Target>();

/** The workspace that a request is about. */
export function targetOf(request: IncomingMessage): Target {
  return hostedTargets.get(request) ?? defaultTarget;
}

/** The address to route by. What is no hosted address stays as it is. */
export function routedAddress(request: IncomingMessage, prefix: string): string {
  const url = request.url ?? '/';
  const match = new RegExp(`^${prefix}/accounts/([^/?]+)/workspaces/([^/?]+)(/[^?]*)(\\?.*)?$`).exec(url);
  if (!match) return url;
  const [, organizationId = '', workspaceId = '', rest = '', query = ''] = match;
  hostedTargets.set(request, { kind: 'hosted', organizationId, workspaceId });
  return `${prefix}${rest}${query}`;
}
