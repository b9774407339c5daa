import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';

const PREFLIGHT_SECONDS = 600;
const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/**
 * Lets a page read the answer. If the API requires a credential, any page may: the credential travels in a header that
 * the page must know, never in a cookie. If the API is open, only a page whose origin the page guard has accepted may.
 */
export function allowOrigins(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin !== undefined) reply.header('access-control-allow-origin', config.apiAuth === 'open' ? origin : '*');
}

/** Answers a preflight; false when the request is not one. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  const headers = request.headers['access-control-request-headers'];
  reply.header('access-control-allow-methods', METHODS).header('access-control-max-age', String(PREFLIGHT_SECONDS));
  if (headers !== undefined) reply.header('access-control-allow-headers', headers);
  reply.code(200).type('text/plain; charset=utf-8').send('OK');
  return true;
}
