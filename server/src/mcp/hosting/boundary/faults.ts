/** Errors that keep their kind across the boundary. */
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { UpstreamError, type UpstreamFault } from '../../upstream/upstream.ts';
import { BuildFailed } from './build-failed.ts';
import { ChannelClosed } from './channel.ts';
import type { Fault } from './streams.ts';

export function faultOf(error: unknown): Fault {
  if (error instanceof UpstreamError) {
    const { fault, message, retryAfterSeconds } = error;
    return { kind: 'upstream', message, fault, retryAfterSeconds };
  }
  if (error instanceof BuildFailed) return { kind: 'build', message: error.message };
  if (error instanceof OutboundError) return { kind: 'outbound', message: error.message, fault: error.fault };
  const { message, code } = error as NodeJS.ErrnoException;
  return { kind: 'internal', message: `${message ?? error}`, ...(code !== undefined && { code }) };
}

export function errorOf(fault: Fault): Error {
  const { kind, message } = fault;
  switch (kind) {
    case 'upstream':
      return new UpstreamError(
        fault['fault'] as UpstreamFault,
        message,
        fault['retryAfterSeconds'] as number | undefined,
      );
    case 'build':
      return new BuildFailed(message);
    case 'outbound':
      return new OutboundError(fault['fault'] as OutboundError['fault'], message);
    default:
      return new Error(message);
  }
}

/** The error for the caller of a program whose host is gone. */
export function unreachable(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const message = 'The server ended before it had answered, because its host ended.';
  return new UpstreamError('connection', error instanceof ChannelClosed ? message : 'The server could not be reached.');
}
