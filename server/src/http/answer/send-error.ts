/** Answers every failed request, whatever stage failed, and logs it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import { ApiError } from '../../errors.ts';
import { type RenderedError, renderError } from './render-error.ts';
import { renderOAuthError } from './render-oauth-error.ts';
import { renderPlatformError } from './render-platform-error.ts';

/** Answers in the format of the Prefect API. `requestBody` is the part of the body that the answer repeats. */
export function sendError(
  server: Server,
  error: unknown,
  requestBody: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  logFailure(server, error, request);
  return send(renderError(error, requestBody), reply);
}

/** Answers in the format of the platform API. */
export const sendPlatformError = sending(renderPlatformError);

/** Answers in the format of OAuth. */
export const sendOAuthError = sending(renderOAuthError);

function sending(render: (error: unknown) => RenderedError) {
  return (server: Server, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    logFailure(server, error, request);
    return send(render(error), reply);
  };
}

/**
 * Logs faults of the server. The line contains the declared route instead of the address, which may contain a token.
 */
export function logFailure({ logger }: Server, error: unknown, request: FastifyRequest): void {
  if (error instanceof ApiError && error.status < 500) return;
  const { id, method, routeOptions } = request;
  logger.error({ err: error, request_id: id, method, route: routeOptions.url }, 'request failed');
}

function send({ status, headers, body }: RenderedError, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).header('content-type', 'application/json').send(Buffer.from(body));
}
