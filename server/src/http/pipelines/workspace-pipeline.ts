/**
 * The stages of every request of the API of a workspace: origin, credential and permission, body, API version,
 * validation, handler, answer. A handler parses nothing, catches nothing and writes no header.
 */
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { callerOf, createContext, type Server } from '../../context/context.ts';
import { maskSecrets } from '../../encryption/mask.ts';
import { ValidationFailed } from '../../errors.ts';
import { mayReadSecrets } from '../../identity/access/permissions.ts';
import type { Admission } from '../../identity/callers/authenticate.ts';
import { noteClient } from '../../identity/callers/client-seen.ts';
import { sendAnswer } from '../answer/answer.ts';
import type { EventStreams } from '../answer/event-streams.ts';
import { sendError } from '../answer/send-error.ts';
import type { SentAnswers } from '../answer/sent-answers.ts';
import { checkApiVersion } from '../request/api-version.ts';
import { RequestRequester } from '../request/client-gone.ts';
import { addressOf, apiVersionOf, readClientInfo } from '../request/client-info.ts';
import { allowOrigins } from '../request/cors.ts';
import { contentTypeOf, isLarge, readBody } from '../request/read-body.ts';
import { MAX_USUAL_BODY_BYTES } from '../request/receive-bytes.ts';
import { type Validated, validateLargeRequest, validateRequest } from '../request/validate-request.ts';
import { type Answer, EventStream, type Route } from '../routes/route.ts';
import { urlOf } from '../routes/route-url.ts';
import { admitRequest } from './admit-request.ts';
import { type Compiled, compileRoute, pathOf } from './compiled-route.ts';
import { type Arrival, type Stages, serveInStages } from './stages.ts';

type ApiArrival = Arrival<Compiled<Route>>;

/** Serves the routes under `prefix`. Throws when one declares no permission. */
export function serveApi(
  app: FastifyInstance,
  server: Server,
  prefix: string,
  routes: readonly Route[],
  streams: EventStreams,
  answers: SentAnswers,
): void {
  const stages = apiStages(server, streams, answers);
  for (const route of routes) {
    if (!route.permission) throw new Error(`${route.method} ${route.path} declares no permission.`);
    serveInStages(app, server, stages, {
      method: route.method,
      url: prefix + urlOf(route),
      route: compileRoute(route),
    });
  }
}

function apiStages(
  server: Server,
  streams: EventStreams,
  answers: SentAnswers,
): Stages<Compiled<Route>, Admission, Validated, Answer> {
  const { config } = server;
  const admit = ({ route, request }: ApiArrival) => admitRequest(server, route.permission, request);
  return {
    begin: ({ request, reply }) => allowOrigins(config, request, reply),
    admit,
    roomOf: ({ route, request }, { workspace, actor }) => {
      const shares = [`workspace ${workspace}`, callerOf(actor, addressOf(config, request.raw))];
      // Probes ask for the state of the server, and wait for no place.
      return { maxBytes: maxBytesOf(route, config), shares: route.permission === 'public' ? [] : shares };
    },
    read: (arrival) => readRequest(config, arrival),
    handle: ({ route, request, reply }, { workspace, actor, role }, input) => {
      const client = readClientInfo(config, request.raw);
      const requester = new RequestRequester(reply.raw, callerOf(actor, client.address));
      const context = createContext(server, workspace, client, actor, requester, role);
      if (client.version !== undefined) noteClient(server, workspace, client.version, context.now);
      return route.handler({ context, headers: request.headers, path: pathOf(route, request), ...input });
    },
    answer: (arrival, { workspace, actor, role }, answer) => {
      const { route, request, reply, place } = arrival;
      if (answer.body instanceof EventStream) {
        const address = addressOf(config, request.raw);
        return streams.begin(answer.body, { workspace, actor, address, mayStay: () => admit(arrival) }, reply);
      }
      const caller = callerOf(actor, addressOf(config, request.raw));
      const reads = (signal: AbortSignal) => server.store.reads(workspace, { signal, caller });
      const source = {
        holder: String(workspace),
        place,
        reads,
        ...(mayReadSecrets(role) ? {} : { withhold: maskSecrets }),
      };
      return sendAnswer(route.encoders, answer, answers, source, request, reply);
    },
    fail: (arrival, error) => fail(server, arrival, error),
  };
}

function maxBytesOf({ bodySize }: Route, { maxBodyBytes }: Config): number {
  return bodySize === 'large' ? maxBodyBytes : Math.min(maxBodyBytes, MAX_USUAL_BODY_BYTES);
}

/** Returns a promise only for a large body: most requests need no other turn of the event loop. */
function readRequest(config: Config, arrival: ApiArrival): Validated | Promise<Validated> {
  const read = readBody(arrival.bytes, contentTypeOf(arrival.request.raw), arrival.route.decoder.layout);
  return read instanceof Promise
    ? read.then((body) => validate(config, arrival, body))
    : validate(config, arrival, read);
}

function validate({ apiMaxLimit }: Config, arrival: ApiArrival, body: unknown): Validated | Promise<Validated> {
  const { route, request, bytes } = arrival;
  arrival.body = body;
  if (!route.anyApiVersion) checkApiVersion(apiVersionOf(request.headers));
  return isLarge(bytes)
    ? validateLargeRequest(route.decoder, request, body, apiMaxLimit)
    : validateRequest(route.decoder, request, body, apiMaxLimit);
}

/** The answer repeats the body, unless it is large or may contain secrets. */
function fail(server: Server, { route, request, reply, bytes, body }: ApiArrival, error: unknown) {
  if (isLarge(bytes)) return sendError(server, withoutInput(error, null), undefined, request, reply);
  const sent = body === undefined ? textOf(bytes) : body;
  if (!route.secretBody) return sendError(server, error, sent, request, reply);
  return sendError(server, withoutInput(error, HIDDEN), sent === undefined ? undefined : HIDDEN, request, reply);
}

/** Replaces a part of a request that an answer does not repeat. */
const HIDDEN = '********';

function withoutInput(error: unknown, shown: string | null): unknown {
  if (!(error instanceof ValidationFailed)) return error;
  return new ValidationFailed(
    error.issues.map((issue) => (issue.input === null || issue.loc[0] !== 'body' ? issue : { ...issue, input: shown })),
  );
}

/** A body that could not be read, in the form in which the error answer repeats it. */
function textOf(bytes: Buffer | undefined): string | undefined {
  return bytes && bytes.length > 0 ? bytes.toString('utf8') : undefined;
}
