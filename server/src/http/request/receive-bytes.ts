/** Receives the body of a request as bytes, or throws the error for a failed reception. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import { BadRequest, PayloadTooLarge, RequestTimeout, Unavailable } from '../../errors.ts';
import { hasBody } from '../../fairness/receive-body.ts';
import type { RequestPlace } from '../../fairness/requests-under-way.ts';

/** Largest body of a request without a credential, because forms and codes are short. */
export const ANONYMOUS_BODY_BYTES = 16 * 1024;

/**
 * Largest body of a route that does not declare another size. It has room for filters with several lists of maximum
 * length, for schemas and for templates.
 */
export const MAX_USUAL_BODY_BYTES = 1024 * 1024;

interface Incoming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly place: RequestPlace;
}

interface BodyRoom {
  readonly maxBytes: number;
  /** The first share is the workspace or organization whose part of the memory for bodies the request uses. */
  readonly shares: readonly string[];
}

/** Undefined when the request has no body. */
export async function receiveBytes(
  { bodies, config }: Server,
  { request: { method, raw }, reply, place }: Incoming,
  { maxBytes, shares: [holder] }: BodyRoom,
): Promise<Buffer | undefined> {
  if (method === 'GET' || method === 'HEAD' || !hasBody(raw)) return undefined;
  const receiving = bodies.receive(raw, reply.raw, maxBytes, holder);
  const received = await (raw.complete ? receiving : place.except(receiving));
  switch (received) {
    case 'too_large':
      throw new PayloadTooLarge(
        maxBytes === config.maxBodyBytes
          ? `The request body is larger than this server accepts: at most ${maxBytes} bytes (SIGNALBOX_MAX_BODY_BYTES).`
          : 'The request body is larger than this server accepts.',
      );
    case 'too_slow':
      throw new RequestTimeout('The request body arrived too slowly.');
    case 'no_room':
      throw new Unavailable('The server is receiving too many request bodies. Try again in a moment.');
    case 'broken':
      throw new BadRequest('The request ended before its body was complete.');
    default:
      return received;
  }
}
