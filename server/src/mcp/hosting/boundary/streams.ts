/** The two ends of a stream of bytes between processes: a request with its body one way, and its answer the other. */

export const KINDS = [
  'ask',
  'answer',
  'fault',
  'cancel',
  'tell',
  'open',
  'head',
  'data',
  'end',
  'fail',
  'abort',
  'credit',
] as const;
/** What a frame is. */
export type Kind = (typeof KINDS)[number];

/** Bytes of a stream that may be on their way without credit. */
const WINDOW_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;

/** Something that was asked for failed on the other side. */
export interface Fault {
  readonly kind: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

/** A stream that the other side has opened: its bytes come here, and an answer goes back. */
export interface Incoming {
  /** Calls `listener` with each piece that the other side sends, and with undefined after the last one. */
  onData(listener: (piece: Buffer | undefined) => void): void;
  /** Called once when the other side does not want the answer any more, or is gone. */
  onAbort(listener: () => void): void;
  /** Called when more may be written after `data` said no. */
  onDrain(listener: () => void): void;
  head(given: unknown): void;
  /** False asks for a pause. */
  data(piece: Buffer): boolean;
  end(): void;
  fail(error: unknown): void;
}

/** Receives the answer to a stream that this side has opened. */
export interface Receiver {
  head(given: never): void;
  /** False asks for a pause until `resume`. */
  data(piece: Buffer): boolean;
  end(): void;
  fail(error: unknown): void;
}

export interface Outgoing {
  abort(): void;
  resume(): void;
}

/** A number of bytes, as a frame carries it. */
function creditOf(bytes: number): Buffer {
  const content = Buffer.allocUnsafe(4);
  content.writeUInt32BE(bytes, 0);
  return content;
}

interface Line {
  send(kind: Kind, content?: unknown): void;
  over(): void;
}

/** A stream that this side has opened. */
export class OpenStream {
  readonly #receiver: Receiver;
  readonly #line: Line;
  #body: Buffer | null;
  #mayWrite = WINDOW_BYTES;
  #bodyEnded = false;
  /** Bytes that the receiver has, and for which no credit was given. */
  #unread = 0;
  #over = false;

  constructor(receiver: Receiver, body: Buffer | null, line: Line) {
    this.#receiver = receiver;
    this.#body = body;
    this.#line = line;
  }

  /** Sends of the body what there is credit for. */
  write(): void {
    while (this.#body && this.#body.length > 0 && this.#mayWrite > 0) {
      const piece = this.#body.subarray(0, Math.min(PIECE_BYTES, this.#mayWrite));
      this.#body = this.#body.subarray(piece.length);
      this.#mayWrite -= piece.length;
      this.#line.send('data', piece);
    }
    if (this.#bodyEnded || (this.#body && this.#body.length > 0)) return;
    this.#bodyEnded = true;
    this.#body = null;
    this.#line.send('end');
  }

  credit(bytes: number): void {
    this.#mayWrite += bytes;
    this.write();
  }

  head(given: never): void {
    if (!this.#over) this.#receiver.head(given);
  }

  received(piece: Buffer): void {
    if (this.#over) return;
    this.#unread += piece.length;
    // A copy: the piece itself holds the whole buffer that the socket has read.
    if (this.#receiver.data(Buffer.from(piece))) this.resume();
  }

  resume(): void {
    if (this.#over || this.#unread === 0) return;
    this.#line.send('credit', creditOf(this.#unread));
    this.#unread = 0;
  }

  ended(): void {
    if (this.#finish()) this.#receiver.end();
  }

  fail(error: unknown): void {
    if (this.#finish()) this.#receiver.fail(error);
  }

  abort(): void {
    if (!this.#over) this.#line.send('abort');
    this.#finish();
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#body = null;
    this.#line.over();
    return true;
  }
}

/** A stream that the other side has opened. */
export class IncomingStream implements Incoming {
  readonly #line: Line & { faultOf(error: unknown): Fault };
  #listener: ((piece: Buffer | undefined) => void) | undefined;
  #onAbort = () => {};
  #onDrain = () => {};
  #mayWrite = WINDOW_BYTES;
  #isPaused = false;
  #over = false;

  constructor(line: Line & { faultOf(error: unknown): Fault }) {
    this.#line = line;
  }

  onData(listener: (piece: Buffer | undefined) => void): void {
    this.#listener = listener;
  }

  onAbort(listener: () => void): void {
    this.#onAbort = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  received(piece: Buffer): void {
    this.#listener?.(Buffer.from(piece));
    if (!this.#over) this.#line.send('credit', creditOf(piece.length));
  }

  /** All of the body has come. */
  ended(): void {
    this.#listener?.(undefined);
  }

  credit(bytes: number): void {
    this.#mayWrite += bytes;
    if (!this.#isPaused || this.#mayWrite <= 0) return;
    this.#isPaused = false;
    this.#onDrain();
  }

  aborted(): void {
    if (this.#finish()) this.#onAbort();
  }

  head(given: unknown): void {
    if (!this.#over) this.#line.send('head', given);
  }

  data(piece: Buffer): boolean {
    if (this.#over) return true;
    this.#mayWrite -= piece.length;
    for (let at = 0; at < piece.length; at += PIECE_BYTES)
      this.#line.send('data', piece.subarray(at, at + PIECE_BYTES));
    this.#isPaused = this.#mayWrite <= 0;
    return !this.#isPaused;
  }

  end(): void {
    if (this.#finish()) this.#line.send('end');
  }

  fail(error: unknown): void {
    if (this.#finish()) this.#line.send('fail', this.#line.faultOf(error));
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#line.over();
    return true;
  }
}
