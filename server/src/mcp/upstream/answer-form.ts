/**
 * Converts an answer to the form of its type. Some servers label JSON as an event stream, or the reverse: JSON becomes
 * an event, and events get their type.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { framed } from '../protocol/event-stream.ts';
import type { AnswerSink } from './upstream.ts';

/** Longest JSON in an event stream that is read as a whole. */
const MAX_UNFRAMED_BYTES = 16 * 1024 * 1024;
const EVENTS = 'text/event-stream';
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const EVENT_FIELD = /^(?::|(?:event|data|id|retry):)/;
const LONGEST_FIELD = 6;

export class AnswerForm {
  readonly #sink: AnswerSink;
  readonly #tooLarge: () => void;
  /** The head of an answer that is not labelled as an event stream, until its first bytes arrive. */
  #begun: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined;
  #isStream = false;
  #hasBody = false;
  #unframed: Buffer[] | undefined;
  #unframedBytes = 0;

  /** `tooLarge` ends the call. */
  constructor(sink: AnswerSink, tooLarge: () => void) {
    this.#sink = sink;
    this.#tooLarge = tooLarge;
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#isStream = headers['content-type']?.startsWith(EVENTS) === true;
    // A stream may be silent for long, and its reader waits for the headers.
    if (this.#isStream) this.#sink.begin(status, headers);
    else this.#begun = { status, headers };
  }

  /** Returns false to request a pause. */
  data(chunk: Buffer): boolean {
    if (!this.#hasBody) this.#readForm(chunk);
    this.#hasBody = true;
    if (!this.#unframed) return this.#sink.data(chunk);
    this.#unframed.push(chunk);
    this.#unframedBytes += chunk.length;
    if (this.#unframedBytes > MAX_UNFRAMED_BYTES) this.#tooLarge();
    return true;
  }

  end(): void {
    this.#handBegin();
    if (this.#unframed) this.#sink.data(framed(Buffer.concat(this.#unframed)));
    this.#sink.end();
  }

  #readForm(chunk: Buffer): void {
    if (this.#isStream && beginsLikeJson(chunk)) this.#unframed = [];
    this.#handBegin(beginsLikeEvents(chunk) ? { 'content-type': EVENTS } : undefined);
  }

  #handBegin(changed?: IncomingHttpHeaders): void {
    if (!this.#begun) return;
    const { status, headers } = this.#begun;
    this.#begun = undefined;
    this.#sink.begin(status, changed ? { ...headers, ...changed } : headers);
  }
}

/** The text of an object or a list. */
function beginsLikeJson(chunk: Buffer): boolean {
  const begin = contentOf(chunk);
  let index = 0;
  while (SPACE.has(begin[index] ?? 0)) index++;
  return begin[index] === 0x7b || begin[index] === 0x5b;
}

function beginsLikeEvents(chunk: Buffer): boolean {
  return EVENT_FIELD.test(contentOf(chunk).toString('latin1', 0, LONGEST_FIELD));
}

function contentOf(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
}
