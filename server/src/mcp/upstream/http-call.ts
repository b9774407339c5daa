/** One request to an upstream over HTTP, from its first attempt to the end of the final answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type ForeignSource, PacedReader } from '../../fairness/foreign-work/paced-reader.ts';
import { connectionErrorOf } from '../../outbound/connection-error.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { AnswerForm } from './answer-form.ts';
import { type ContentDecoder, contentDecoder } from './content-decoder.ts';
import { type Deadlines, Timed } from './deadlines.ts';
import { type AnswerSink, type UpstreamCall, UpstreamError, type UpstreamRequest } from './upstream.ts';

/** The parsed target of a request. */
export interface Target {
  readonly url: URL;
  readonly origin: string;
  readonly path: string;
}

/** The possible continuations of an attempt. Each returns true when it makes another attempt. */
export interface Following {
  /** Called for each answer before it is used. */
  elsewhere(call: HttpCall, status: number, location: string): boolean;
  /** Called once, if a connection broke or stays silent before an answer has begun. */
  again(call: HttpCall): boolean;
}

export interface AnswerDeadlines {
  /** Limit until a silent connection counts as dropped by a device in between; undefined if there is none. */
  readonly silent: Deadlines | undefined;
  /** Limit from then until an answer has begun. */
  readonly begin: Deadlines;
  /** Limit from the beginning of an answer to its end. */
  readonly answer: Deadlines;
  /** Limit between two bytes of a stream. */
  readonly silence: Deadlines;
}

/** One open request, which undici reports on. */
export class HttpCall extends Timed implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly request: UpstreamRequest;
  aborted = false;
  redirects = 0;
  /** True when its credential was fetched for it, or is its second one. */
  tried = false;
  /** True while it is being dispatched: a free connection takes it immediately. */
  dispatching = false;
  /** The last target, and the headers sent there. */
  target!: Target;
  sent!: Record<string, string>;
  /** True when its last attempt was the second one, on a connection of its own. */
  repeated = false;
  readonly #sink: AnswerSink;
  /** Converts the answer to its true form; the sink itself if the answer stays untouched. */
  readonly #form: Pick<AnswerSink, 'begin' | 'data' | 'end'>;
  readonly #maxBytes: number;
  readonly #deadlines: AnswerDeadlines;
  readonly #following: Following;
  #decoder: ContentDecoder | undefined;
  #bytes = 0;
  #begun = false;
  readonly #reader: PacedReader;
  /** True while the first deadline runs. */
  #isSilent: boolean;
  #bounded = true;
  /** The controller of an answer that another one replaces: its rest is ignored. */
  #left: Dispatcher.DispatchController | undefined;
  #ended = false;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(
    request: UpstreamRequest,
    sink: AnswerSink,
    maxAnswerBytes: number,
    deadlines: AnswerDeadlines,
    following: Following,
    source: ForeignSource,
  ) {
    super();
    this.#reader = new PacedReader(source, () => {
      if (this.#decoder) this.#decoder.resume();
      else this.#readOn();
    });
    this.request = request;
    this.#sink = sink;
    this.#form = request.untouched ? sink : new AnswerForm(sink, () => this.#tooLarge());
    this.#maxBytes = maxAnswerBytes;
    this.#deadlines = deadlines;
    this.#following = following;
    this.#isSilent = deadlines.silent !== undefined;
  }

  /** Stops waiting for an answer. */
  untimed(): void {
    this.#deadline.remove(this);
  }

  abort(): void {
    this.aborted = true;
    this.#reader.end();
    this.#deadline.remove(this);
    this.#decoder?.destroy();
    this.#controller?.abort(new Error('the caller has disconnected'));
  }

  resume(): void {
    this.#reader.resume();
  }

  #readOn(): void {
    if (!this.#bounded && !this.#ended && !this.aborted) this.waitOn();
    this.#controller?.resume();
  }

  fail(error: unknown): void {
    if (this.#ended || this.aborted) return;
    this.#ended = true;
    this.#reader.end();
    this.#deadline.remove(this);
    this.#decoder?.destroy();
    this.#sink.fail(upstreamErrorOf(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.aborted) controller.abort(new Error('the caller has disconnected'));
    // It may have waited for a free connection as long as for its answer.
    else if (!this.dispatching) this.waitOn();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (this.#following.elsewhere(this, status, headers.location ?? '')) {
      this.#left = controller;
      controller.abort(new Error('it continues elsewhere'));
      return;
    }
    this.#deadline.remove(this);
    this.#begun = true;
    this.#bounded = !headers['content-type']?.startsWith('text/event-stream');
    this.waitOn();
    this.#decoder = this.request.untouched ? undefined : this.#decoderFor(headers);
    this.#form.begin(status, this.#decoder ? decodedHeaders(headers) : headers);
  }

  #decoderFor({ 'content-encoding': encoding }: IncomingHttpHeaders): ContentDecoder | undefined {
    return contentDecoder(encoding, {
      data: (chunk) => this.#ended || this.aborted || this.#pass(chunk),
      end: () => this.#finish(),
      fail: () => this.#breakOff('The answer of the server does not match its Content-Encoding.'),
      drained: () => this.#readOn(),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (controller === this.#left || this.#ended || this.aborted) return;
    if (!this.#bounded) this.waitOn();
    const isReady = this.#decoder ? this.#decoder.write(chunk) : this.#pass(chunk);
    if (isReady || this.#ended) return;
    controller.pause();
    // While reading is paused, a silent server looks the same as a busy one.
    if (!this.#bounded) this.#deadline.remove(this);
  }

  /** Returns false to request a pause. */
  #pass(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bounded && this.#bytes > this.#maxBytes) {
      this.#tooLarge();
      return true;
    }
    return this.#reader.read(() => this.#form.data(chunk));
  }

  #tooLarge(): void {
    this.#breakOff('The answer of the server is larger than this gateway allows.');
  }

  #breakOff(reason: string): void {
    this.fail(new UpstreamError('answer', reason));
    this.#controller?.abort(new Error(reason));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (controller === this.#left || this.#ended || this.aborted) return;
    if (this.#decoder) this.#decoder.end();
    else this.#finish();
  }

  #finish(): void {
    if (this.#ended || this.aborted) return;
    this.#ended = true;
    this.#deadline.remove(this);
    this.#form.end();
  }

  expire(): void {
    if (this.#isSilent && !this.#begun) {
      this.#isSilent = false;
      this.waitOn();
      if (this.#goesOnAgain()) this.#left?.abort(new Error('it continues with a new connection'));
      return;
    }
    this.fail(new UpstreamError('timeout', this.#overdue));
    this.abort();
  }

  get #overdue(): string {
    if (!this.#begun) return 'The server did not answer in time.';
    return this.#bounded ? 'The answer of the server did not end in time.' : 'The answer of the server stalled.';
  }

  get #deadline(): Deadlines {
    const { silent, begin, answer, silence } = this.#deadlines;
    if (!this.#begun) return this.#isSilent && silent ? silent : begin;
    return this.#bounded ? answer : silence;
  }

  /** True when the request is sent again; the answer to the first attempt is then ignored. */
  #goesOnAgain(): boolean {
    const first = this.#controller;
    if (!first || this.#begun || this.#ended || this.aborted || this.repeated) return false;
    if (!this.#following.again(this)) return false;
    this.#left = first;
    return true;
  }

  /** Waits for the time that this kind of answer may take, from now on. */
  waitOn(): void {
    this.#deadline.remove(this);
    this.#deadline.add(this);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#left !== undefined && controller === this.#left) return;
    if (isBroken(error) && this.#goesOnAgain()) return;
    this.fail(error);
  }
}

/** The connection existed, and the other side, or a device in between, has dropped it. */
function isBroken(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** The headers after the body is decoded. */
function decodedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'content-encoding': _encoding, 'content-length': _length, ...kept } = headers;
  return kept;
}

export function upstreamErrorOf(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  if (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_HEADERS_OVERFLOW' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  ) {
    return new UpstreamError('answer', 'The server did not answer with HTTP.');
  }
  const { fault, message } = error instanceof OutboundError ? error : connectionErrorOf(error);
  return new UpstreamError(fault === 'timeout' || fault === 'refused' ? fault : 'connection', message);
}
