/** One request upstream whose answer, a JSON body or a stream of events, is read message by message. */
import type { IncomingHttpHeaders } from 'node:http';
import { TooManyValues } from '../protocol/count-values.ts';
import { dataOf, EventSplitter } from '../protocol/event-stream.ts';
import { type JsonObject, readMessage } from '../protocol/message.ts';
import { type AnswerSink, type Upstream, type UpstreamCall, UpstreamError, type UpstreamRequest } from './upstream.ts';

const TOO_LARGE = 'The answer of the server is too large.';

/** Exactly one of `end` and `fail` is called, unless the reader is aborted. */
export interface MessageHandler {
  /** Returns false when the status alone decides: then no message of the answer is read. */
  begin?(status: number, headers: IncomingHttpHeaders): boolean;
  message(message: JsonObject, status: number, headers: IncomingHttpHeaders): void;
  end(status: number, headers: IncomingHttpHeaders): void;
  fail(error: UpstreamError): void;
}

interface MessageReaderOptions {
  /** The limit of a JSON body, which is read as a whole. */
  readonly maxBytes: number;
  /** Undefined for a text that is not a message. Throws TooManyValues. Numbers keep their notation by default. */
  readonly read?: (text: string) => JsonObject | undefined;
}

export class MessageReader implements AnswerSink, UpstreamCall {
  readonly #handler: MessageHandler;
  readonly #maxBytes: number;
  readonly #read: (text: string) => JsonObject | undefined;
  readonly #parts: Buffer[] = [];
  #size = 0;
  #call: UpstreamCall | undefined;
  #over = false;
  #ignored = false;
  #splitter: EventSplitter | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(handler: MessageHandler, { maxBytes, read = readMessage }: MessageReaderOptions) {
    this.#handler = handler;
    this.#maxBytes = maxBytes;
    this.#read = read;
  }

  send(upstream: Upstream, request: UpstreamRequest): void {
    this.#call = upstream.send(request, this);
    if (this.#over) this.#call.abort();
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    if (this.#over) return;
    this.#status = status;
    this.#headers = headers;
    if (headers['content-type']?.startsWith('text/event-stream')) this.#splitter = new EventSplitter();
    this.#ignored = this.#handler.begin?.(status, headers) === false;
  }

  data(chunk: Buffer): boolean {
    if (this.#over || this.#ignored) return true;
    if (this.#splitter) {
      for (const event of this.#events(this.#splitter, chunk)) this.#hand(dataOf(event) ?? '');
      return true;
    }
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#giveUp(TOO_LARGE);
    else this.#parts.push(chunk);
    return true;
  }

  end(): void {
    if (this.#over) return;
    if (this.#size > 0) this.#hand(Buffer.concat(this.#parts).toString('utf8'));
    if (this.#over) return;
    this.#over = true;
    this.#handler.end(this.#status, this.#headers);
  }

  fail(error: UpstreamError): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.fail(error);
  }

  /** Stops reading. */
  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#call?.abort();
  }

  resume(): void {
    this.#call?.resume();
  }

  #hand(text: string): void {
    const message = this.#over ? undefined : this.#messageIn(text);
    if (message) this.#handler.message(message, this.#status, this.#headers);
  }

  #messageIn(text: string): JsonObject | undefined {
    try {
      return this.#read(text);
    } catch (error) {
      if (!(error instanceof TooManyValues)) throw error;
      this.#giveUp(error.message);
      return undefined;
    }
  }

  #events(splitter: EventSplitter, chunk: Buffer): readonly Buffer[] {
    try {
      return splitter.push(chunk);
    } catch {
      this.#giveUp(TOO_LARGE);
      return [];
    }
  }

  #giveUp(reason: string): void {
    this.#call?.abort();
    this.fail(new UpstreamError('answer', reason));
  }
}
