/**
 * Turns a failed connection into a message for users. The libraries' own messages are not shown, because they may
 * contain the URL.
 */
import { OutboundError } from './outbound-error.ts';

const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The target refused the connection.',
  ECONNRESET: 'The target closed the connection.',
  UND_ERR_SOCKET: 'The target closed the connection.',
  EHOSTUNREACH: 'The target cannot be reached.',
  ENETUNREACH: 'The target cannot be reached.',
  ENOTFOUND: 'The name of the target cannot be resolved.',
  EAI_AGAIN: 'The name of the target cannot be resolved.',
};

/** True when the guard itself refused the connection. */
export function isRefusal(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof OutboundError);
}

export function connectionErrorOf(error: unknown): OutboundError {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof OutboundError);
  if (known) return known;
  const codes = causes.map((cause) => (cause as NodeJS.ErrnoException).code ?? '');
  if (codes.includes('UND_ERR_CONNECT_TIMEOUT')) return new OutboundError('timeout', 'The connection took too long.');
  if (codes.some((code) => /CERT|TLS|SSL|SIGNATURE/.test(code))) {
    return new OutboundError('connection', 'The certificate of the target is not trusted.');
  }
  if (codes.includes('UND_ERR_INVALID_ARG')) {
    return new OutboundError('unusable', 'The request cannot be sent as it is.');
  }
  const message = codes.map((code) => CONNECTION_FAULTS[code]).find((text) => text !== undefined);
  return new OutboundError('connection', message ?? 'The connection failed.');
}

function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const several = error instanceof AggregateError ? error.errors.flatMap(causesOf) : [];
  return [error, ...several, ...causesOf(error.cause)];
}
