/**
 * The stages of every request of the platform API, in order: the caller (key or session), the origin of a browser's
 * change, the permission, the body, its validation, the handler, the answer. Errors are
 * `{"error": {"code", "message", "details"?}}`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../context.ts';
import type { Requester } from '../database/store.ts';
import { ApiError, Forbidden, Unauthorized, ValidationFailed } from '../errors.ts';
import { doing } from '../event-loop-watch.ts';
import { normalUuid } from '../id.ts';
import { decideInOrganization } from '../identity/access.ts';
import { isOutdated } from '../identity/admission-age.ts';
import { bearerOf } from '../identity/authenticate.ts';
import { type Caller, identifyKey, identifySession, readOrganization } from '../identity/identify-caller.ts';
import { noteSeen } from '../identity/session-seen.ts';
import {
  createPlatformContext,
  type OrganizationContext,
  onBehalfOf,
  type PlatformContext,
} from '../platform-context.ts';
import { Shape, Type } from '../schema/kinds.ts';
import { compileAnswers, type Encoders, sendAnswer } from './answer.ts';
import { signalOf } from './client-gone.ts';
import { addressesOf } from './client-info.ts';
import type { PlatformRoute } from './platform-route.ts';
import { contentTypeOf, readBody } from './read-body.ts';
import { readForm } from './read-form.ts';
import { ANONYMOUS_BODY_BYTES, MAX_USUAL_BODY_BYTES, receiveBytes } from './receive-bytes.ts';
import { checkCrossSite, checkSite, deviceCookie, sessionCookie } from './session-cookie.ts';
import { compileRequestDecoder, type RequestDecoder, validateRequest } from './validate-request.ts';

const NO_BYTES = Buffer.alloc(0);

export interface CompiledPlatformRoute extends PlatformRoute {
  /** Method and path, for the operator. */
  readonly name: string;
  readonly decoder: RequestDecoder;
  readonly encoders: Encoders;
}

export function compilePlatformRoute(route: PlatformRoute): CompiledPlatformRoute {
  const name = `${route.method} ${route.path} of the platform`;
  return { ...route, name, decoder: compileRequestDecoder(route), encoders: compileAnswers(route.responses) };
}

export async function servePlatform(
  server: Server,
  route: CompiledPlatformRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    reply.header('cache-control', 'no-store');
    const path = pathOf(route, request);
    const first = await admitted(server, route, request, path);
    const since = performance.now();
    const isAnonymous = route.access === 'public';
    const requester = requesterOf(first, reply);
    const { maxBodyBytes } = server.config;
    const most = route.binary ? maxBodyBytes : Math.min(maxBodyBytes, MAX_USUAL_BODY_BYTES);
    const maxBytes = isAnonymous ? ANONYMOUS_BODY_BYTES : most;
    const given = await receiveBytes(server, request, reply, maxBytes, requester.share);
    doing(route.name);
    const bytes = route.binary ? (given ?? NO_BYTES) : NO_BYTES;
    const body = route.binary ? undefined : await bodyOf(route, given, contentTypeOf(request.raw));
    const input = validateRequest(route.decoder, request, body, server.config.apiMaxLimit);
    // Reading a large body takes time too, so this follows it.
    const allowed = isOutdated(since) ? await admitted(server, route, request, path) : first;
    const answer = await route.handler({
      context: onBehalfOf(allowed, requester),
      headers: request.headers,
      path,
      bytes,
      ...input,
    });
    doing(route.name);
    return await sendAnswer(route.encoders, answer, request, reply);
  } catch (error) {
    return sendPlatformError(server, error, request, reply);
  }
}

/** Identifies the caller and its origin, and checks its permission. */
async function admitted(
  server: Server,
  route: PlatformRoute,
  request: FastifyRequest,
  path: Record<string, string>,
): Promise<PlatformContext | OrganizationContext> {
  const context = await contextOf(server, request);
  const { caller, origin } = context;
  if (route.sameSite) checkSite(request, origin);
  if (caller?.session && !route.sameSite) checkCrossSite(request, caller.session.csrfToken, origin);
  return authorize(route, context, path);
}

function bodyOf(route: CompiledPlatformRoute, given: Buffer | undefined, contentType: string | undefined): unknown {
  return route.form ? readForm(given) : readBody(given, contentType, route.decoder.layout);
}

async function contextOf(server: Server, request: FastifyRequest): Promise<PlatformContext> {
  const addresses = addressesOf(server.config, request.raw);
  const context = createPlatformContext(server, undefined, ...addresses, deviceCookie(request.headers));
  const caller = await identify(context, request);
  if (caller?.apiKeyId !== undefined) server.keyUsage.note(caller.apiKeyId);
  await noteSeen(server, caller?.session, context.now);
  return { ...context, caller };
}

/** The share of database time that a request uses: the organization's, or else the caller's. */
function requesterOf(context: PlatformContext | OrganizationContext, reply: FastifyReply): Requester {
  const signal = signalOf(reply.raw);
  if ('organization' in context) return { signal, share: `organization ${context.organization.id}` };
  return context.caller ? { signal, share: `actor ${context.caller.actor.id}` } : { signal };
}

/** A key wins over a cookie, because a program sends one on purpose. A wrong credential identifies no caller. */
function identify(context: PlatformContext, request: FastifyRequest): Promise<Caller | undefined> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const presented = bearerOf(authorization);
    return presented === undefined ? Promise.resolve(undefined) : identifyKey(context.db, presented);
  }
  const cookie = sessionCookie(request.headers);
  return cookie === undefined ? Promise.resolve(undefined) : identifySession(context.db, cookie, context.now);
}

async function authorize(
  route: PlatformRoute,
  context: PlatformContext,
  path: Record<string, string>,
): Promise<PlatformContext | OrganizationContext> {
  if (route.access === 'public') return context;
  const { caller } = context;
  if (!caller) throw new Unauthorized('A valid API key or session is required.');
  if (caller.state !== 'active') throw new Forbidden(`This ${kindOf(caller)} is ${caller.state}.`);
  if (route.access === 'session' && !caller.session) {
    throw new Forbidden('Only a person who has signed in may do this; an API key may not.');
  }
  if (route.access === 'actor' || route.access === 'session') return context;
  const organization = await readOrganization(context.db, path['org'] ?? '', caller.actor);
  const required = route.access === 'organization:admin' ? 'admin' : 'member';
  const decision = decideInOrganization(organization, required);
  if (!decision.allowed) throw new Forbidden(decision.reason);
  return { ...context, caller, organization: decision.organization };
}

function kindOf(caller: Caller): string {
  return caller.actor.type === 'user' ? 'user' : 'service account';
}

function pathOf(route: PlatformRoute, request: FastifyRequest): Record<string, string> {
  const path = request.params as Record<string, string>;
  for (const name in route.parameters) {
    if (route.parameters[name] === 'uuid') path[name] = normalUuid(path[name]!);
  }
  return path;
}

/** Answers every failed request of the platform API. */
export function sendPlatformError(
  server: Server,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = error instanceof ApiError;
  if (!known || error.status >= 500) {
    server.logger.error(
      { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url },
      'request failed',
    );
  }
  const status = known ? error.status : 500;
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="signalbox"');
  return reply
    .code(status)
    .headers(known ? error.headers : {})
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify({ error: known ? problemOf(error) : internalProblem })));
}

/** Every error of the platform API. `code` is for programs, `message` a sentence for people. */
export const Problem = Shape(
  'Problem',
  {
    error: Shape(
      'ProblemError',
      { code: Type.String(), message: Type.String(), details: Type.Optional(Type.Unsafe<unknown>({})) },
      'ignore',
    ),
  },
  'ignore',
);

const internalProblem = {
  code: 'internal_error',
  message: 'Internal server error. The request id identifies it in the log.',
};

function problemOf(error: ApiError): object {
  if (error instanceof ValidationFailed) {
    // The answer does not repeat the body, which may hold a password.
    const details = error.issues.map(({ loc, msg }) => ({
      field: loc.slice(1).join('.') || loc.join('.'),
      message: msg,
    }));
    return { code: error.code, message: 'The request does not match its schema.', details };
  }
  return { code: error.code, message: error.message, ...(error.details ? { details: error.details } : {}) };
}
