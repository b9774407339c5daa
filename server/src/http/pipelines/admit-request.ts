/**
 * Identifies the sender of a request to the API of a workspace: by key or password, or else by the session of a
 * browser.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import type { Permission } from '../../identity/access/permissions.ts';
import { type Admission, admit, admitSession, needsCredential } from '../../identity/callers/authenticate.ts';
import { noteSeen } from '../../identity/callers/session-seen.ts';
import { publicUrlOf } from '../../network/client-route.ts';
import { addressOf } from '../request/client-info.ts';
import { targetOf } from '../request/hosted-address.ts';
import { checkCrossSite, sessionCookie } from '../session/session-cookie.ts';

/** Throws like `admit`, and Forbidden for a change that another site's page may have sent with the session. */
export async function admitRequest(
  server: Server,
  permission: Permission,
  request: FastifyRequest,
): Promise<Admission> {
  const cookie = permission === 'public' ? undefined : cookieThatCounts(server, request.raw);
  if (cookie === undefined) return admitCredential(server, permission, request.raw);
  const now = server.clock.now();
  const { session, ...admission } = await admitSession(server, targetOf(request.raw), permission, cookie, now);
  checkCrossSite(request, session.csrfToken, publicUrlOf(server.config, request.raw));
  await noteSeen(server, session, now);
  return admission;
}

/** Checks the credential of a request that no route of the API serves. Throws like `admit`. */
export function admitWithoutRoute(server: Server, request: IncomingMessage): Promise<Admission> {
  const cookie = cookieThatCounts(server, request);
  if (cookie === undefined) return admitCredential(server, undefined, request);
  return admitSession(server, targetOf(request), undefined, cookie, server.clock.now());
}

function admitCredential(server: Server, permission: Permission | undefined, request: IncomingMessage) {
  const { authorization } = request.headers;
  return admit(server, targetOf(request), permission, authorization, addressOf(server.config, request));
}

/** A credential in the request wins over cookies, because a program sends it on purpose. */
function cookieThatCounts(server: Server, request: IncomingMessage): string | undefined {
  if (request.headers.authorization !== undefined || !needsCredential(server.config, targetOf(request)))
    return undefined;
  return sessionCookie(request.headers);
}
