/**
 * The stages of every request of the API, in order. A handler parses nothing, catches nothing and writes no header.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createContext, type Server } from '../context.ts';
import { ValidationFailed } from '../errors.ts';
import { doing } from '../event-loop-watch.ts';
import { normalUuid } from '../id.ts';
import { isOutdated } from '../identity/admission-age.ts';
import { mayReadSecrets } from '../identity/permissions.ts';
import { maskSecrets } from '../secrets/mask.ts';
import { admitRequest } from './admit-request.ts';
import { compileAnswers, type Encoders, sendAnswer } from './answer.ts';
import { checkApiVersion } from './api-version.ts';
import { signalOf } from './client-gone.ts';
import { apiVersionOf, readClientInfo } from './client-info.ts';
import { allowOrigins } from './cors.ts';
import type { EventStreams } from './event-streams.ts';
import { contentTypeOf, isLarge, readBody } from './read-body.ts';
import { receiveBytes } from './receive-bytes.ts';
import { renderError } from './render-error.ts';
import { EventStream, type Route } from './route.ts';
import {
  compileRequestDecoder,
  type RequestDecoder,
  validateLargeRequest,
  validateRequest,
} from './validate-request.ts';

/** A route with its schemas compiled. */
export interface CompiledRoute extends Route {
  /** Method and path, for the operator. */
  readonly name: string;
  readonly decoder: RequestDecoder;
  readonly encoders: Encoders;
}

export function compileRoute(route: Route): CompiledRoute {
  const name = `${route.method} ${route.path}`;
  return { ...route, name, decoder: compileRequestDecoder(route), encoders: compileAnswers(route.responses) };
}

/** The stages: origin, authentication, body, API version, validation, handler, answer. */
export async function serve(
  server: Server,
  route: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  streams: EventStreams,
): Promise<FastifyReply> {
  let bytes: Buffer | undefined;
  let body: unknown;
  try {
    allowOrigins(server.config, request, reply);
    const admitted = () => admitRequest(server, route.permission, request);
    const first = await admitted();
    const since = performance.now();
    const maxBytes = request.routeOptions.bodyLimit ?? server.config.maxBodyBytes;
    bytes = await receiveBytes(server, request, reply, maxBytes, `workspace ${first.workspace}`);
    doing(route.name);
    const read = readBody(bytes, contentTypeOf(request.raw), route.decoder.layout);
    body = read instanceof Promise ? await read : read;
    if (!route.anyApiVersion) checkApiVersion(apiVersionOf(request.headers));
    const { apiMaxLimit } = server.config;
    const input = isLarge(bytes)
      ? await validateLargeRequest(route.decoder, request, body, apiMaxLimit)
      : validateRequest(route.decoder, request, body, apiMaxLimit);
    // Reading a large body takes time too, so this follows it.
    const admission = isOutdated(since) ? await admitted() : first;
    const client = readClientInfo(server.config, request.raw);
    const { workspace, actor, role } = admission;
    const context = createContext(server, workspace, client, actor, { signal: signalOf(reply.raw) }, role);
    const answer = await route.handler({ context, headers: request.headers, path: pathOf(route, request), ...input });
    doing(route.name);
    if (answer.body instanceof EventStream) {
      return streams.begin(answer.body, { workspace, mayStay: admitted }, reply);
    }
    return await sendAnswer(route.encoders, answer, request, reply, mayReadSecrets(role) ? undefined : maskSecrets);
  } catch (error) {
    if (isLarge(bytes)) return sendError(server, withoutInput(error, null), undefined, request, reply);
    const sent = body === undefined ? textOf(bytes) : body;
    if (!route.secretBody) return sendError(server, error, sent, request, reply);
    return sendError(server, withoutInput(error, HIDDEN), sent === undefined ? undefined : HIDDEN, request, reply);
  }
}

/** Replaces a part of a request that an answer does not repeat. */
const HIDDEN = '********';

function withoutInput(error: unknown, shown: string | null): unknown {
  if (!(error instanceof ValidationFailed)) return error;
  return new ValidationFailed(
    error.issues.map((issue) => (issue.input === null || issue.loc[0] !== 'body' ? issue : { ...issue, input: shown })),
  );
}

/** A body that could not be read, as the error answer repeats it. */
function textOf(bytes: Buffer | undefined): string | undefined {
  return bytes && bytes.length > 0 ? bytes.toString('utf8') : undefined;
}

/** Ids are compared as the store keeps them: lower-case, with dashes. */
function pathOf(route: CompiledRoute, request: FastifyRequest): Record<string, string> {
  const path = request.params as Record<string, string>;
  for (const name in route.parameters) {
    if (route.parameters[name] === 'uuid') path[name] = normalUuid(path[name]!);
  }
  return path;
}

/** Answers every failed request, in whatever stage it failed. */
export function sendError(
  server: Server,
  error: unknown,
  requestBody: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const rendered = renderError(error, requestBody);
  if (rendered.status >= 500) {
    server.logger.error(
      { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url },
      'request failed',
    );
  }
  return reply
    .code(rendered.status)
    .headers(rendered.headers)
    .header('content-type', 'application/json')
    .send(Buffer.from(rendered.body));
}
