/**
 * The hosted form of an address, `/api/accounts/<organization>/workspaces/<workspace>/…`, serves the same routes as
 * `/api/…`. Each segment is an id or a slug. The prefix is removed before routing, so each route exists once; the
 * removed part names the workspace to which the caller is admitted.
 */
import type { IncomingMessage } from 'node:http';
import { defaultTarget, type Target } from '../../identity/callers/target.ts';

const PREFIX = '/api';
const HOSTED_PREFIX = `${PREFIX}/accounts/`;
const HOSTED = new RegExp(`^${HOSTED_PREFIX}([^/?]+)/workspaces/([^/?]+)(/.*)$`, 's');

const hostedTargets = new WeakMap<IncomingMessage, Target>();

/** The workspace of a request. */
export function targetOf(request: IncomingMessage): Target {
  return hostedTargets.get(request) ?? defaultTarget;
}

/** Path of the API as the caller of a request knows it. */
export function apiPathOf(request: IncomingMessage): string {
  const target = targetOf(request);
  if (target.kind === 'default') return PREFIX;
  return `${PREFIX}/accounts/${target.organizationId}/workspaces/${target.workspaceId}`;
}

/** The address to route by. An address that is not hosted stays unchanged. */
export function routedAddress(request: IncomingMessage): string {
  const url = request.url ?? '/';
  if (!url.startsWith(HOSTED_PREFIX)) return url;
  const [, organizationId = '', workspaceId = '', rest = ''] = HOSTED.exec(url) ?? [];
  if (rest === '') return url;
  hostedTargets.set(request, { kind: 'hosted', organizationId, workspaceId });
  return PREFIX + rest;
}
