/**
 * The gateway's interface to an upstream: it accepts one HTTP request of the Streamable HTTP transport and streams its
 * answer. A remote server and a process of this server have the same interface.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Lower-case names; only headers that may go upstream. The sender adds the headers that the upstream requires. */
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
  /** True if the caller gets the answer unchanged: it stays encoded. */
  readonly untouched?: boolean;
  /** The caller's credential for this server, which replaces the one that is stored for all. */
  readonly credential?: Credential;
}

/** The credential that requests carry upstream. */
export interface Credential {
  /** Called for each request, so that it can be renewed. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** The headers of the credential, in lower case: they stay within the origin. */
  readonly names: readonly string[];
  /** The upstream answered 401 to `shown`. Returns true when another credential is available for the same request. */
  rejected(shown: Readonly<Record<string, string>>): boolean;
}

/** The receiver of an answer, piece by piece. Exactly one of `end` and `fail` is called, and nothing after it. */
export interface AnswerSink {
  /** Status and headers have arrived; names are in lower case. */
  begin(status: number, headers: IncomingHttpHeaders): void;
  /** Returns false to request a pause: no data follows until `resume` of the call. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** There was no answer, or it broke off. Not called after `abort`. */
  fail(error: UpstreamError): void;
}

/** An open request. */
export interface UpstreamCall {
  /** The caller has gone: ends the request upstream. */
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
  /** The policy forbids the target. */
  | 'refused'
  /** The answer was too large or violated HTTP or the transport. */
  | 'answer'
  /** It is not ready: it failed too often recently, does not start, or has too many requests. */
  | 'unavailable'
  /** No server is available: a hosted server has no live deployment. */
  | 'absent'
  /** The caller must first connect an account. */
  | 'credential';

/** `message` is for users: it names neither the address of the upstream nor the content of the request. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly fault: UpstreamFault;
  /** Seconds after which a retry makes sense, for `unavailable`. */
  readonly retryAfterSeconds: number | undefined;
  /** Data for programs, in addition to the message. */
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

/** For the gateway's own requests, which answer no client. */
export function refusedCredential(): UpstreamError {
  return new UpstreamError('answer', REFUSED_CREDENTIAL);
}
