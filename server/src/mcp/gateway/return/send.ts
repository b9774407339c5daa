import { type Upstream, UpstreamError, type UpstreamRequest } from '../../upstream/upstream.ts';
import type { Relay } from './relay.ts';

/** Seconds after which a client may try again when this server could not find something out. */
const RETRY_SECONDS = 1;

/** Opens the connection to the server and forwards the request. Errors are answered. */
export function send(
  relay: Relay,
  open: () => Upstream | Promise<Upstream>,
  request: UpstreamRequest,
): void | Promise<void> {
  let upstream: Upstream | Promise<Upstream>;
  try {
    upstream = open();
  } catch (error) {
    return relay.fail(failing(error));
  }
  if (!(upstream instanceof Promise)) return relay.sendBy(upstream, request);
  return upstream.then(
    (opened) => relay.sendBy(opened, request),
    (error) => relay.fail(failing(error)),
  );
}

/** The error of a request that could not be sent. */
function failing(error: unknown): UpstreamError {
  return error instanceof UpstreamError
    ? error
    : new UpstreamError('unavailable', 'The server cannot be reached now.', RETRY_SECONDS);
}
