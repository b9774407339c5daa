/**
 * What every request of the API passes, in this order. A handler parses nothing, catches nothing and writes no header.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createContext, type Server } from '../context.ts';
import { normalUuid } from '../id.ts';
import { authenticate } from '../identity/authenticate.ts';
import { compileEncoder } from '../schema/encode.ts';
import { checkApiVersion } from './api-version.ts';
import { apiVersionOf, readClientInfo } from './client-info.ts';
import { compressed } from './compress.ts';
import { allowOrigins } from './cors.ts';
import { contentTypeOf, readBody } from './read-body.ts';
import { renderError } from './render-error.ts';
import { type Answer, PlainBody, type Route } from './route.ts';
import { compileRequestDecoder, type RequestDecoder, validateRequest } from './validate-request.ts';

/** A route with its schemas compiled. */
export interface CompiledRoute extends Route {
  readonly decoder: RequestDecoder;
  readonly encode: ReadonlyMap<number, (value: unknown) => string>;
  /** For a status that the document does not name (201 where it says 200): the one shape there is. */
  readonly encodeOther: ((value: unknown) => string) | undefined;
}

export function compileRoute(route: Route): CompiledRoute {
  const encoders = Object.entries(route.responses).flatMap(([status, schema]) =>
    schema ? [[Number(status), compileEncoder(schema)] as const] : [],
  );
  return {
    ...route,
    decoder: compileRequestDecoder(route),
    encode: new Map(encoders),
    encodeOther: encoders[0]?.[1],
  };
}

/** The stages: origin, authentication, body, API version, validation, handler, answer. */
export async function serve(
  server: Server,
  route: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let body: unknown;
  try {
    allowOrigins(request, reply);
    if (route.permission !== 'public') authenticate(server.config, request.headers.authorization);
    body = readBody(request.body as Buffer | undefined, contentTypeOf(request.raw));
    if (!route.anyApiVersion) checkApiVersion(apiVersionOf(request.headers));
    const input = validateRequest(route.decoder, request, body, server.config.apiMaxLimit);
    const context = createContext(server, server.defaultWorkspace, readClientInfo(request.headers, false));
    const answer = await route.handler({ context, headers: request.headers, path: pathOf(route, request), ...input });
    return await sendAnswer(route, answer, request, reply);
  } catch (error) {
    return sendError(server, error, body === undefined ? textOf(request) : body, request, reply);
  }
}

/** A body that could not be read, as the error answer repeats it. */
function textOf(request: FastifyRequest): string | undefined {
  const bytes = request.body as Buffer | undefined;
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

async function sendAnswer(
  route: CompiledRoute,
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.body instanceof PlainBody) {
    const { contentType, text } = answer.body;
    return reply.type(contentType).send(typeof text === 'string' ? text : Readable.from(text));
  }
  const encode = route.encode.get(answer.status) ?? route.encodeOther;
  if (!encode || answer.body === undefined) return reply.send();
  const text = encode(answer.body);
  reply.header('content-type', 'application/json');
  const smaller = await compressed(text, request.headers['accept-encoding']);
  // Bytes, because the framework adds a charset to the content type of text.
  if (!smaller) return reply.send(Buffer.from(text));
  return reply.header('content-encoding', 'gzip').header('vary', 'Accept-Encoding, Origin').send(smaller);
}

/** The way out of every request that failed, whatever stage it failed in. */
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
      { err: error, request_id: request.id, method: request.method, path: request.url.split('?')[0] },
      'request failed',
    );
  }
  return reply
    .code(rendered.status)
    .headers(rendered.headers)
    .header('content-type', 'application/json')
    .send(Buffer.from(rendered.body));
}
