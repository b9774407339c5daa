/** The answer to one HTTP request of the Streamable HTTP transport: one JSON body, or a stream of events. */
import type { AnswerSink, UpstreamError } from '../../../upstream/upstream.ts';

/** Bytes that may wait for a slow reader; beyond that the stream ends. */
const MAX_WAITING_BYTES = 4_194_304;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export class HttpAnswer {
  readonly #sink: AnswerSink;
  /** Called once, when nothing more can be sent. */
  readonly #onOver: () => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #paused = false;
  #ending = false;
  #over = false;
  /** Status and headers have been sent. */
  begun = false;
  /** True once the answer is a stream of events. */
  streaming = false;

  constructor(sink: AnswerSink, onOver: () => void = () => {}) {
    this.#sink = sink;
    this.#onOver = onOver;
  }

  get over(): boolean {
    return this.#over || this.#ending;
  }

  /** Sends the whole answer; `text` may be empty. */
  json(status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    if (this.over) return;
    const body = Buffer.from(text);
    const type = body.length > 0 ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {};
    this.begun = true;
    this.#sink.begin(status, { ...type, ...headers });
    if (body.length > 0) this.#write(body);
    this.end();
  }

  stream(headers: Readonly<Record<string, string>> = {}): void {
    if (this.over || this.streaming) return;
    this.streaming = true;
    this.begun = true;
    this.#sink.begin(200, { ...STREAM_HEADERS, ...headers });
  }

  /** Starts the stream if needed, and sends an event. False when the reader is gone or too slow. */
  event(message: string): boolean {
    if (this.over) return false;
    this.stream();
    this.#write(Buffer.from(`event: message\ndata: ${message}\n\n`));
    return !this.over;
  }

  /** Sends the last message: as the stream's last event, or as the JSON body if nothing was streamed. */
  finish(status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.streaming) {
      this.json(status, message, headers);
      return;
    }
    this.event(message);
    this.end();
  }

  end(): void {
    if (this.over) return;
    this.#ending = true;
    this.#flush();
  }

  fail(error: UpstreamError): void {
    if (this.#over) return;
    this.#close();
    this.#sink.fail(error);
  }

  /** The caller has gone. */
  abort(): void {
    if (!this.#over) this.#close();
  }

  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  #write(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#flush();
    // One large message may wait as a whole; a reader that stays behind is disconnected.
    if (this.#waiting.length > 1 && this.#waitingBytes > MAX_WAITING_BYTES) this.end();
  }

  #flush(): void {
    while (!this.#paused && !this.#over) {
      const next = this.#waiting.shift();
      if (!next) break;
      this.#waitingBytes -= next.length;
      this.#paused = !this.#sink.data(next);
    }
    if (this.#ending && this.#waiting.length === 0 && !this.#over) {
      this.#close();
      this.#sink.end();
    }
  }

  #close(): void {
    this.#over = true;
    this.#waiting = [];
    this.#onOver();
  }
}
