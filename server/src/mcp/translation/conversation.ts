/** What both directions of translation share: one caller's request that may need several requests upstream. */
import type { IncomingHttpHeaders } from 'node:http';
import { dataOf, EventSplitter, eventOf } from '../protocol/event-stream.ts';
import { isObject, kindOf, readMessage } from '../protocol/message.ts';
import type { AnswerSink, Upstream, UpstreamCall, UpstreamRequest } from '../upstream/upstream.ts';
import { UpstreamError } from '../upstream/upstream.ts';

export type JsonMessage = Record<string, unknown>;

/** A JSON answer that is read as a whole may be this long. */
const MAX_BYTES = 32 * 1024 * 1024;
const NOT_AUTHORIZED: ReadonlySet<number> = new Set([401, 407]);
const JSON_HEADERS = { 'content-type': 'application/json' };
const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

/** How an upstream answered one request, message by message. */
export interface MessageHandler {
  /** Called for every message of the answer, with the status of HTTP. */
  message(message: JsonMessage, status: number): void;
  /** The answer has ended; `status` is of HTTP. Not called after `fail`. */
  end(status: number, headers: IncomingHttpHeaders): void;
  /** False when the upstream's status alone settles it and the answer is not read. */
  begin?(status: number, headers: IncomingHttpHeaders): boolean;
}

export class Conversation implements UpstreamCall {
  readonly #sink: AnswerSink;
  #current: UpstreamCall | undefined;
  #aborted = false;
  #whenAborted: (() => void) | undefined;
  #whenOver: (() => void)[] = [];
  #streaming = false;
  #done = false;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  get over(): boolean {
    return this.#aborted || this.#done;
  }

  abort(): void {
    const wasOver = this.over;
    this.#aborted = true;
    this.#current?.abort();
    if (wasOver) return;
    this.#whenAborted?.();
    this.#tellOver();
  }

  /** Calls this when the caller goes away before the answer is complete; of two, the later. */
  whenAborted(left: () => void): void {
    this.#whenAborted = left;
  }

  /** Calls this once nothing more is sent to the caller, however that comes. */
  whenOver(forget: () => void): void {
    if (this.over) forget();
    else this.#whenOver.push(forget);
  }

  #tellOver(): void {
    const told = this.#whenOver;
    this.#whenOver = [];
    for (const forget of told) forget();
  }

  resume(): void {
    this.#current?.resume();
  }

  /** The caller wants no answer any more. */
  cancel(): void {
    this.#current?.abort();
    this.finish(undefined, 202);
  }

  /** Ends what is asked upstream, and goes on with something else. */
  restart(): void {
    this.#current?.abort();
  }

  /** Sends one request upstream and hands its messages over. */
  ask(upstream: Upstream, request: UpstreamRequest, handler: MessageHandler): void {
    if (this.over) return;
    const splitter = new EventSplitter();
    const parts: Buffer[] = [];
    let size = 0;
    let status = 0;
    let received: IncomingHttpHeaders = {};
    let events = false;
    let ignored = false;
    const hand = (text: string) => {
      const message = readMessage(text);
      if (message && !this.over) handler.message(message, status);
    };
    this.#current = upstream.send(request, {
      begin: (code, headers) => {
        status = code;
        received = headers;
        events = !!headers['content-type']?.startsWith('text/event-stream');
        if (NOT_AUTHORIZED.has(code)) this.#refuse(code, headers);
        else ignored = handler.begin?.(code, headers) === false;
      },
      data: (chunk) => {
        if (ignored || this.over) return true;
        if (events) {
          for (const event of splitter.push(chunk)) hand(dataOf(event) ?? '');
          return true;
        }
        size += chunk.length;
        if (size > MAX_BYTES) this.fail(new UpstreamError('answer', 'The answer of the server is too large.'));
        else parts.push(chunk);
        return true;
      },
      end: () => {
        if (!events && !ignored && size > 0) hand(Buffer.concat(parts).toString('utf8'));
        if (!this.over) handler.end(status, received);
      },
      fail: (error) => this.fail(error),
    });
  }

  /** The gateway has its own answer to a server that does not accept the stored credential. */
  #refuse(status: number, headers: IncomingHttpHeaders): void {
    this.#done = true;
    this.#tellOver();
    this.#current?.abort();
    this.#sink.begin(status, headers);
  }

  /** Begins an answer of events, if it has not begun, and writes one. */
  event(message: JsonMessage): void {
    this.openStream();
    if (!this.over) this.#sink.data(eventOf(message));
  }

  openStream(): void {
    if (this.#streaming || this.over) return;
    this.#streaming = true;
    this.#sink.begin(200, EVENT_HEADERS);
  }

  /** The last message of the answer: as JSON when no event came before it. */
  finish(message: JsonMessage | undefined, status = 200, headers: Record<string, string> = {}): void {
    if (this.over) return;
    this.#done = true;
    this.#tellOver();
    if (this.#streaming) {
      if (message) this.#sink.data(eventOf(message));
    } else {
      this.#sink.begin(status, message ? { ...JSON_HEADERS, ...headers } : headers);
      if (message) this.#sink.data(Buffer.from(JSON.stringify(message)));
    }
    this.#sink.end();
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.#done = true;
    this.#tellOver();
    this.#current?.abort();
    this.#sink.fail(
      error instanceof UpstreamError ? error : new UpstreamError('answer', 'The server did not answer as it should.'),
    );
  }
}

/** The message of a request that the gateway has screened. */
export function messageIn({ body }: UpstreamRequest): JsonMessage {
  const value = body === null ? undefined : readMessage(body.toString('utf8'));
  return value ?? {};
}

export function isRequest(message: JsonMessage): boolean {
  return kindOf(message) === 'request';
}

export function objectOr(value: unknown): JsonMessage {
  return isObject(value) ? value : {};
}
