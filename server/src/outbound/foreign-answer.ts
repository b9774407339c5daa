/** Checks the status of an answer of a foreign server. Node's parser accepts numbers that Node refuses to write. */
import { OutboundError } from './outbound-error.ts';

/** Statuses whose answers have no body, which `Response` checks. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The status of an answer that may be passed on, 200 to 999. Throws OutboundError for others. */
export function finalStatus(status: number | undefined): number {
  if (status === undefined || status < 200 || status > 999) unusable();
  return status;
}

/**
 * A `Response` from the answer of a foreign server. Throws OutboundError if `Response` does not allow it, as for the
 * status 600.
 */
export function responseOf(
  status: number,
  headers: ConstructorParameters<typeof Headers>[0] & object,
  body: string | Buffer,
): Response {
  try {
    return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(Buffer.from(body)), { status, headers });
  } catch {
    unusable();
  }
}

function unusable(): never {
  throw new OutboundError('connection', 'The target did not answer with valid HTTP.');
}
