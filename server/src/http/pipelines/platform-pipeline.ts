/**
 * The stages of every request of the platform API: the caller (key or session), the origin of a browser's change, the
 * permission, the body, its validation, the handler, the answer.
 */
import type { FastifyInstance } from 'fastify';
import type { Server } from '../../context/context.ts';
import { type OrganizationContext, onBehalfOf, type PlatformContext } from '../../context/platform-context.ts';
import { PLATFORM_SHARE } from '../../database/store.ts';
import { ExpiredCredential, Forbidden, NotFound, Unauthorized } from '../../errors.ts';
import { decideInOrganization } from '../../identity/access/access.ts';
import { readOrganization } from '../../identity/callers/identify-caller.ts';
import { notActive } from '../../identity/callers/refusal-sentences.ts';
import { ageRefusal, KEY_EXPIRED } from '../../identity/keys/key-end.ts';
import { sendAnswer } from '../answer/answer.ts';
import { sendPlatformError } from '../answer/send-error.ts';
import type { SentAnswers } from '../answer/sent-answers.ts';
import { signalOf } from '../request/client-gone.ts';
import { contextWithoutCaller, withCaller } from '../request/platform-caller.ts';
import { contentTypeOf, readBody, readForm } from '../request/read-body.ts';
import { ANONYMOUS_BODY_BYTES, MAX_USUAL_BODY_BYTES } from '../request/receive-bytes.ts';
import { type Validated, validateRequest } from '../request/validate-request.ts';
import type { PlatformRoute } from '../routes/platform-route.ts';
import type { Answer } from '../routes/route.ts';
import { urlOf } from '../routes/route-url.ts';
import { checkCrossSite, checkSite } from '../session/session-cookie.ts';
import { type Compiled, compileRoute, pathOf } from './compiled-route.ts';
import { type Arrival, type Stages, serveInStages } from './stages.ts';

const NO_BYTES = Buffer.alloc(0);

type PlatformArrival = Arrival<Compiled<PlatformRoute>>;
type Admitted = PlatformContext | OrganizationContext;

/** Serves the platform API under `prefix`. Throws when a route declares no access. */
export function servePlatformApi(
  app: FastifyInstance,
  server: Server,
  prefix: string,
  routes: readonly PlatformRoute[],
  answers: SentAnswers,
): void {
  const stages = platformStages(server, answers);
  for (const route of routes) {
    if (!route.access) throw new Error(`${route.method} ${route.path} declares no access.`);
    serveInStages(app, server, stages, {
      method: route.method,
      url: prefix + urlOf(route),
      route: compileRoute(route, ' of the platform'),
    });
  }
}

/** Answers paths that the platform does not serve in its own error format. */
export function answerUnknownRoutes(app: FastifyInstance, server: Server, prefix: string): void {
  app.all(`${prefix}/*`, (request, reply) => sendPlatformError(server, new NotFound('No such route.'), request, reply));
}

function platformStages(
  server: Server,
  answers: SentAnswers,
): Stages<Compiled<PlatformRoute>, Admitted, Validated, Answer> {
  const { maxBodyBytes, apiMaxLimit } = server.config;
  return {
    begin: ({ reply }) => {
      reply.header('cache-control', 'no-store');
    },
    admit: (arrival) => admit(server, arrival),
    roomOf: ({ route }, context) => {
      const most = route.binary ? maxBodyBytes : Math.min(maxBodyBytes, MAX_USUAL_BODY_BYTES);
      return { maxBytes: route.access === 'public' ? ANONYMOUS_BODY_BYTES : most, shares: sharesOf(context) };
    },
    read: async (arrival) => {
      arrival.body = await bodyOf(arrival);
      return validateRequest(arrival.route.decoder, arrival.request, arrival.body, apiMaxLimit);
    },
    handle: ({ route, request, reply, bytes }, admitted, input) => {
      const [share, caller] = sharesOf(admitted);
      const requester = {
        signal: signalOf(reply.raw),
        ...(share === undefined ? {} : { share, caller: caller ?? '' }),
      };
      return route.handler({
        context: onBehalfOf(admitted, requester),
        headers: request.headers,
        path: pathOf(route, request),
        bytes: route.binary ? (bytes ?? NO_BYTES) : NO_BYTES,
        ...input,
      });
    },
    answer: ({ route, request, reply, place }, admitted, answer) => {
      const [holder = PLATFORM_SHARE] = sharesOf(admitted);
      return sendAnswer(route.encoders, answer, answers, { holder, place }, request, reply);
    },
    fail: ({ request, reply }, error) => sendPlatformError(server, error, request, reply),
  };
}

/** Identifies the caller and its origin, and checks its permission. */
async function admit(server: Server, { route, request }: PlatformArrival): Promise<Admitted> {
  const context = await withCaller(contextWithoutCaller(server, request), request);
  const { caller, origin } = context;
  if (route.sameSite) checkSite(request, origin);
  if (caller?.session && !route.sameSite) checkCrossSite(request, caller.session.csrfToken, origin);
  return authorize(route, context, pathOf(route, request));
}

async function authorize(
  route: PlatformRoute,
  context: PlatformContext,
  path: Record<string, string>,
): Promise<Admitted> {
  if (route.access === 'public') return context;
  const { caller } = context;
  if (context.hasExpiredKey) throw new ExpiredCredential(KEY_EXPIRED);
  if (!caller)
    throw new Unauthorized(
      'A valid API key or session is required: Authorization: Bearer sbx_… People make keys at /account.',
    );
  if (caller.state !== 'active') throw new Forbidden(notActive(caller.actor.type, caller.state));
  if (route.access === 'session' && !caller.session) {
    throw new Forbidden('Only a person who is signed in may do this. An API key is not enough.');
  }
  if (route.access === 'actor' || route.access === 'session') return context;
  const organization = await readOrganization(context.db, path['org'] ?? '', caller.actor);
  const required = route.access === 'organization:admin' ? 'admin' : 'member';
  const decision = decideInOrganization(organization, required);
  if (!decision.allowed) throw new Forbidden(decision.reason);
  const tooOld = ageRefusal(caller.actor.keyCreated, decision.organization.max_key_age_days, context.now);
  if (tooOld !== undefined) throw new Forbidden(tooOld);
  return { ...context, caller, organization: decision.organization };
}

/**
 * The organization, and then the caller. The request uses the organization's share of database time and of received
 * bytes.
 */
function sharesOf(context: Admitted): string[] {
  const ofCaller = context.caller ? [`actor ${context.caller.actor.id}`] : [];
  return 'organization' in context ? [`organization ${context.organization.id}`, ...ofCaller] : ofCaller;
}

function bodyOf({ route, request, bytes }: PlatformArrival): unknown {
  if (route.binary) return undefined;
  return route.form ? readForm(bytes) : readBody(bytes, contentTypeOf(request.raw), route.decoder.layout);
}
