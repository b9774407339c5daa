/** Reads the frame with which a client filters a live stream. */
import type { Decoded } from '../../schema/decode.ts';
import { readFrame } from './read-frame.ts';

/** Source: RFC 6455, section 7.4. */
export const PROTOCOL_ERROR = 1002;

interface FilterMessage<Filter> {
  readonly filter: Filter;
  /** Stored records are sent before new ones. */
  readonly backfill: boolean;
}

/**
 * The message, or the reason for closing the socket. Source: `/events/out` and `/logs/out` of the Prefect server 3.9.1,
 * with which server/test/reference/resources/protocol.ts compares.
 */
export function readFilterMessage<Filter>(
  text: string,
  decode: (input: unknown) => Decoded<Filter>,
): FilterMessage<Filter> | string {
  const message = readFrame(text);
  if (message?.['type'] !== 'filter') return "Expected 'filter' message";
  if (message['filter'] === undefined) return "Invalid filter: 'filter'";
  const filter = decode(message['filter']);
  if (!filter.ok) {
    const [issue] = filter.issues;
    return `Invalid filter: ${issue?.loc.slice(1).join('.')} ${issue?.msg}`;
  }
  return { filter: filter.value, backfill: message['backfill'] === undefined || Boolean(message['backfill']) };
}
