/**
 * The error for a status that an upstream sends without a message: a sentence of the gateway, with the status as data.
 */
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { UpstreamError, type UpstreamFault } from './upstream.ts';

const MAX_RETRY_AFTER_CHARACTERS = 40;
const MAX_RETRY_AFTER_SECONDS = 86_400;

const faults: Readonly<Record<number, UpstreamFault>> = {
  408: 'timeout',
  429: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};

export function failedStatus(status: number, { 'retry-after': retryAfter }: IncomingHttpHeaders): UpstreamError {
  const name = STATUS_CODES[status];
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '')
    ? Math.min(Number(retryAfter), MAX_RETRY_AFTER_SECONDS)
    : undefined;
  return new UpstreamError(
    faults[status] ?? 'answer',
    `The server answered with the status ${status}${name === undefined ? '' : ` (${name})`}.`,
    seconds,
    {
      status,
      ...(retryAfter === undefined ? {} : { retryAfter: retryAfter.slice(0, MAX_RETRY_AFTER_CHARACTERS) }),
    },
  );
}
