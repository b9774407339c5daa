/** Identifies the caller of the platform: the owner of a key, or a person with a browser session. */
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import { createPlatformContext, type PlatformContext } from '../../context/platform-context.ts';
import { bearerOf } from '../../identity/callers/authenticate.ts';
import { type Caller, identifyKey, identifySession } from '../../identity/callers/identify-caller.ts';
import { noteSeen } from '../../identity/callers/session-seen.ts';
import { deviceCookie, sessionCookie } from '../session/session-cookie.ts';
import { addressesOf } from './client-info.ts';

/** The context of a request whose caller is unknown. */
export function contextWithoutCaller(server: Server, request: FastifyRequest): PlatformContext {
  const [address, origin] = addressesOf(server.config, request.raw);
  return createPlatformContext(server, undefined, address, origin, deviceCookie(request.headers));
}

/**
 * The context with the caller, if the credential identifies one. A key wins over a cookie, because a program sends one on
 * purpose.
 */
export async function withCaller(context: PlatformContext, request: FastifyRequest): Promise<PlatformContext> {
  const { authorization } = request.headers;
  if (authorization === undefined) return withPerson(context, request);
  const presented = bearerOf(authorization);
  const caller = presented === undefined ? undefined : await identifyKey(context.db, presented, context.now);
  if (caller === 'expired') return { ...context, hasExpiredKey: true };
  if (caller?.apiKeyId !== undefined) context.server.keyUsage.note(caller.apiKeyId);
  return { ...context, caller };
}

/** Like `withCaller`, but accepts only a person with a session. */
export async function withPerson(context: PlatformContext, request: FastifyRequest): Promise<PlatformContext> {
  const cookie = sessionCookie(request.headers);
  if (cookie === undefined) return context;
  const caller: Caller | undefined = await identifySession(context.db, cookie, context.now);
  await noteSeen(context.server, caller?.session, context.now);
  return { ...context, caller };
}
