import type { FastifyReply, FastifyRequest } from 'fastify';

const PREFLIGHT_SECONDS = 600;
const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/** Any page may call the API: credentials travel in headers it must know, never in cookies. */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin');
  if (request.headers.origin !== undefined) reply.header('access-control-allow-origin', '*');
}

/** Answers a preflight; false when the request is none. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  const headers = request.headers['access-control-request-headers'];
  reply.header('access-control-allow-methods', METHODS).header('access-control-max-age', String(PREFLIGHT_SECONDS));
  if (headers !== undefined) reply.header('access-control-allow-headers', headers);
  reply.code(200).type('text/plain; charset=utf-8').send('OK');
  return true;
}
