/**
 * Blocks requests to an upstream that failed several times in a row, so that callers get an error at once and the
 * upstream can recover. After a pause it lets one request through; if that gets an answer, it lets all through.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { guarded } from '../../watching/background.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamFault, UpstreamRequest } from './upstream.ts';
import { UpstreamError } from './upstream.ts';

const FAILURES_TO_OPEN = 5;
const PAUSE_SECONDS = 10;
/** The faults that show a problem of the upstream. */
const COUNTED: ReadonlySet<UpstreamFault> = new Set(['connection', 'timeout']);

/** Milliseconds since an arbitrary moment; tests provide their own. */
type MonotonicClock = () => number;

export class CircuitBreaker implements Upstream {
  readonly #upstream: Upstream;
  readonly #clock: MonotonicClock;
  #failures = 0;
  #closedUntil = 0;
  #probing = false;

  constructor(upstream: Upstream, clock: MonotonicClock = () => performance.now()) {
    this.#upstream = upstream;
    this.#clock = clock;
  }

  send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const open = this.#failures >= FAILURES_TO_OPEN;
    if (open && (this.#probing || this.#clock() < this.#closedUntil)) return refuse(sink, this.#secondsLeft());
    if (open) this.#probing = true;
    return new WatchedCall(this, sink).sendBy(this.#upstream, request);
  }

  /** @internal For WatchedCall: the upstream answers. */
  answers(): void {
    this.#failures = 0;
    this.#probing = false;
  }

  /** @internal For WatchedCall: the call ended without an answer, because of this fault or its caller. */
  ends(fault: UpstreamFault | undefined): void {
    this.#probing = false;
    if (fault !== undefined && COUNTED.has(fault)) this.#note();
  }

  #note(): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_TO_OPEN) this.#closedUntil = this.#clock() + PAUSE_SECONDS * 1000;
  }

  #secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#closedUntil - this.#clock()) / 1000));
  }
}

/** A call that reports its end to the breaker. */
class WatchedCall implements AnswerSink, UpstreamCall {
  readonly #breaker: CircuitBreaker;
  readonly #sink: AnswerSink;
  #call: UpstreamCall | undefined;

  constructor(breaker: CircuitBreaker, sink: AnswerSink) {
    this.#breaker = breaker;
    this.#sink = sink;
  }

  sendBy(upstream: Upstream, request: UpstreamRequest): this {
    this.#call = upstream.send(request, this);
    return this;
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#breaker.answers();
    this.#sink.begin(status, headers);
  }

  data(chunk: Buffer): boolean {
    return this.#sink.data(chunk);
  }

  end(): void {
    this.#sink.end();
  }

  fail(error: UpstreamError): void {
    this.#breaker.ends(error.fault);
    this.#sink.fail(error);
  }

  abort(): void {
    this.#breaker.ends(undefined);
    this.#call?.abort();
  }

  resume(): void {
    this.#call?.resume();
  }
}

function refuse(sink: AnswerSink, seconds: number): UpstreamCall {
  const message = `The server failed ${FAILURES_TO_OPEN} times in a row. Requests to it are paused for a moment.`;
  const fail = () => sink.fail(new UpstreamError('unavailable', message, seconds));
  queueMicrotask(guarded('a refusal of a paused server', fail));
  return { abort: () => {}, resume: () => {} };
}
