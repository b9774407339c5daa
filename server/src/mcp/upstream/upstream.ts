/**
 * An upstream, as the gateway sees it: it takes one HTTP request of the Streamable HTTP transport and streams its
 * answer. A remote server and a process that this server runs look alike.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Lower-case names; only headers that may go upstream. The sender adds the headers that the upstream requires. */
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
  /** True where the answer is the caller's as it comes: it stays encoded. */
  readonly untouched?: boolean;
  /** The credential of the caller for this server, in place of the one that is stored for all. */
  readonly credential?: Credential;
}

/** The credential that requests carry upstream. */
export interface Credential {
  /** Asked for each request, so it can be renewed. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Which headers carry it, in lower case: they stay within the origin. */
  readonly names: readonly string[];
  /** The upstream answered 401 to `shown`. True when another credential can be had for the same request. */
  rejected(shown: Readonly<Record<string, string>>): boolean;
}

/** Where an answer goes, piece by piece. Exactly one of `end` and `fail` is called, and nothing after it. */
export interface AnswerSink {
  /** Status and headers have come; lower-case names. */
  begin(status: number, headers: IncomingHttpHeaders): void;
  /** False asks for a pause: nothing more comes until `resume` of the call. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** There was no answer, or it broke off. Not called after `abort`. */
  fail(error: UpstreamError): void;
}

/** A request under way. */
export interface UpstreamCall {
  /** The caller has gone away: ends the request upstream. */
  abort(): void;
  resume(): void;
}

export interface Upstream {
  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall;
}

export type UpstreamFault =
  /** There was no connection, or it broke. */
  | 'connection'
  | 'timeout'
  /** The target is a place where this server does not send. */
  | 'refused'
  /** The answer was too large or not what HTTP or the transport allows. */
  | 'answer'
  /** It is not ready: it failed too often lately, does not start, or there are too many requests for it. */
  | 'unavailable'
  /** There is nothing to reach: a hosted server without a live deployment. */
  | 'absent'
  /** The caller has to connect an account of theirs first. */
  | 'credential';

/** `message` is for users: it names neither the address of the upstream nor what was sent. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly fault: UpstreamFault;
  /** When it makes sense to ask again, for `unavailable`. */
  readonly retryAfterSeconds: number | undefined;
  /** For programs, beside the message. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(
    fault: UpstreamFault,
    message: string,
    retryAfterSeconds?: number,
    data?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.fault = fault;
    this.retryAfterSeconds = retryAfterSeconds;
    this.data = data;
  }
}

export const REFUSED_CREDENTIAL = 'The server rejects the credential that is stored for it.';

/** For requests that the gateway sends on its own behalf, which answer no client. */
export function refusedCredential(): UpstreamError {
  return new UpstreamError('answer', REFUSED_CREDENTIAL);
}
