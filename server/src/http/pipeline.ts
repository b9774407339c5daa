/**
 * What every request of the API passes, in this order. A handler parses nothing, catches nothing and writes no header.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createContext, type Server } from '../context.ts';
import { ValidationFailed, type ValidationIssue } from '../errors.ts';
import { authenticate } from '../identity/authenticate.ts';
import { compileDecoder, type Decoded } from '../schema/decode.ts';
import { compileEncoder } from '../schema/encode.ts';
import { checkApiVersion } from './api-version.ts';
import { apiVersionOf, readClientInfo } from './client-info.ts';
import { compressed } from './compress.ts';
import { allowOrigins } from './cors.ts';
import { readBody } from './read-body.ts';
import { renderError } from './render-error.ts';
import { type Answer, PlainBody, type Route } from './route.ts';

type Decode = (input: unknown) => Decoded<unknown>;

/** A route with its schemas compiled. */
export interface CompiledRoute extends Route {
  readonly decodeQuery: Decode | undefined;
  readonly decodeBody: Decode | undefined;
  /** The body is a set of named parts instead of one object. */
  readonly bodyInParts: boolean;
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
    decodeQuery: route.query && compileDecoder(route.query, 'query'),
    decodeBody: route.body && compileDecoder(route.body, 'body'),
    bodyInParts: (route.body as { $id?: string } | undefined)?.$id?.startsWith('Body_') ?? false,
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
    body = readBody(request.body as Buffer | undefined, request.headers['content-type']);
    if (!route.anyApiVersion) checkApiVersion(apiVersionOf(request.headers));
    const input = validate(route, request, body);
    const context = createContext(server, server.defaultWorkspace, readClientInfo(request.headers, false));
    const answer = await route.handler({ context, headers: request.headers, ...input });
    return await sendAnswer(route, answer, request, reply);
  } catch (error) {
    return sendError(server, error, body, request, reply);
  }
}

function validate(route: CompiledRoute, request: FastifyRequest, body: unknown) {
  const issues: ValidationIssue[] = [];
  const query = route.decodeQuery?.(request.query);
  if (query && !query.ok) issues.push(...query.issues.map(withoutInput));
  const decoded = decodeBody(route, body);
  if (decoded && !decoded.ok) issues.push(...decoded.issues);
  if (issues.length > 0) throw new ValidationFailed(issues);
  return {
    path: pathOf(route, request),
    query: query?.ok ? query.value : undefined,
    body: decoded?.ok ? decoded.value : undefined,
  };
}

function decodeBody(route: CompiledRoute, body: unknown): Decoded<unknown> | undefined {
  if (!route.decodeBody) return undefined;
  if (route.bodyInParts) {
    const parts = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
    const decoded = route.decodeBody(parts);
    return decoded.ok ? decoded : { ok: false, issues: decoded.issues.map(withoutInput) };
  }
  if (body === undefined || body === null) {
    if (route.bodyOptional) return undefined;
    return { ok: false, issues: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] };
  }
  return route.decodeBody(body);
}

/** A part or parameter that is missing has no surrounding object to show. */
function withoutInput(issue: ValidationIssue): ValidationIssue {
  return issue.type === 'missing' && issue.loc.length === 2 ? { ...issue, input: null } : issue;
}

/** Ids are compared as the store keeps them: lower-case. */
function pathOf(route: CompiledRoute, request: FastifyRequest): Record<string, string> {
  const path = request.params as Record<string, string>;
  for (const name in route.parameters) {
    if (route.parameters[name] === 'uuid') path[name] = path[name]!.toLowerCase();
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
  if (answer.body instanceof PlainBody) return reply.type(answer.body.contentType).send(answer.body.text);
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
    server.logger.error({ err: error, request_id: request.id, method: request.method, path: request.url.split('?')[0] }, 'request failed');
  }
  return reply
    .code(rendered.status)
    .headers(rendered.headers)
    .header('content-type', 'application/json')
    .send(Buffer.from(rendered.body));
}
