/**
 * The two ends of a byte stream between processes: a request with its body in one direction, and its answer in the
 * other.
 */

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
/** The kinds of frames. */
export type Kind = (typeof KINDS)[number];

/** Bytes of a stream that may be in transit without credit. */
const WINDOW_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;
/** Credit is granted for this many bytes at once: less than the window, so that none is withheld forever. */
const CREDIT_BYTES = 262_144;

/** The failure of a request on the other side. */
export interface Fault {
  readonly kind: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

/** A stream that the other side has opened: its bytes come here, and an answer goes back. */
export interface Incoming {
  /** Calls `listener` with each received piece, and with undefined after the last one. */
  onData(listener: (piece: Buffer | undefined) => void): void;
  /** Called once when the other side no longer wants the answer, or is gone. */
  onAbort(listener: () => void): void;
  /** Called when more may be written after `data` returned false. */
  onDrain(listener: () => void): void;
  head(given: unknown): void;
  /** Returns false to request a pause. */
  data(piece: Buffer): boolean;
  end(): void;
  fail(error: unknown): void;
}

/** Receives the answer to a stream that this side has opened. */
export interface Receiver {
  head(given: never): void;
  /** Returns false to request a pause until `resume`. */
  data(piece: Buffer): boolean;
  end(): void;
  fail(error: unknown): void;
}

export interface Outgoing {
  abort(): void;
  resume(): void;
}

/** A number of bytes, in the form of a frame. */
function creditOf(bytes: number): Buffer {
  const content = Buffer.allocUnsafe(4);
  content.writeUInt32BE(bytes, 0);
  return content;
}

interface Line {
  send(kind: Kind, content?: unknown): void;
  over(): void;
}

/** Writes as much as the credit allows, and keeps the rest. */
class CreditedWriter {
  readonly #line: Line;
  readonly #written: () => void;
  #waiting: Buffer[] = [];
  #mayWrite = WINDOW_BYTES;
  #isLast = false;

  /** `written` is called whenever nothing is left to send; after `end` once, when the end is sent. */
  constructor(line: Line, written: () => void) {
    this.#line = line;
    this.#written = written;
  }

  /** False when a part of it waits for credit. */
  write(piece: Buffer): boolean {
    if (piece.length > 0) this.#waiting.push(piece);
    this.#flush();
    return this.#waiting.length === 0;
  }

  /** No data follows. */
  end(): void {
    this.#isLast = true;
    if (this.#waiting.length === 0) this.#end();
  }

  credit(bytes: number): void {
    this.#mayWrite += bytes;
    if (this.#waiting.length === 0) return;
    this.#flush();
    if (this.#waiting.length > 0) return;
    if (this.#isLast) this.#end();
    else this.#written();
  }

  drop(): void {
    this.#waiting = [];
  }

  #flush(): void {
    while (this.#mayWrite > 0) {
      const [first] = this.#waiting;
      if (!first) return;
      const piece = first.subarray(0, Math.min(PIECE_BYTES, this.#mayWrite));
      if (piece.length === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(piece.length);
      this.#mayWrite -= piece.length;
      this.#line.send('data', piece);
    }
  }

  #end(): void {
    this.#line.send('end');
    this.#written();
  }
}

/** Grants credit for bytes that have been read, several at once. */
class CreditGiver {
  readonly #line: Line;
  #bytes = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  give(): void {
    if (this.#bytes < CREDIT_BYTES) return;
    this.#line.send('credit', creditOf(this.#bytes));
    this.#bytes = 0;
  }
}

/**
 * Returns a piece that a receiver may keep. A small part of a large buffer is copied, so that the buffer can be freed.
 */
function kept(piece: Buffer): Buffer {
  return 2 * piece.length < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}

/** A stream that this side has opened. */
export class OpenStream {
  readonly #receiver: Receiver;
  readonly #line: Line;
  readonly #writer: CreditedWriter;
  readonly #read: CreditGiver;
  #over = false;

  constructor(receiver: Receiver, line: Line) {
    this.#receiver = receiver;
    this.#line = line;
    this.#writer = new CreditedWriter(line, () => {});
    this.#read = new CreditGiver(line);
  }

  /** Sends the request's body. */
  send(body: Buffer | null): void {
    if (body) this.#writer.write(body);
    this.#writer.end();
  }

  credit(bytes: number): void {
    this.#writer.credit(bytes);
  }

  head(given: never): void {
    if (!this.#over) this.#receiver.head(given);
  }

  received(piece: Buffer): void {
    if (this.#over) return;
    this.#read.add(piece.length);
    if (this.#receiver.data(kept(piece))) this.resume();
  }

  resume(): void {
    if (!this.#over) this.#read.give();
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
    this.#writer.drop();
    this.#line.over();
    return true;
  }
}

/** A stream that the other side has opened. */
export class IncomingStream implements Incoming {
  readonly #line: Line & { faultOf(error: unknown): Fault };
  readonly #writer: CreditedWriter;
  readonly #read: CreditGiver;
  #listener: ((piece: Buffer | undefined) => void) | undefined;
  #onAbort = () => {};
  #onDrain = () => {};
  #isEnding = false;
  #over = false;

  constructor(line: Line & { faultOf(error: unknown): Fault }) {
    this.#line = line;
    this.#writer = new CreditedWriter(line, () => this.#written());
    this.#read = new CreditGiver(line);
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
    this.#read.add(piece.length);
    this.#listener?.(kept(piece));
    if (!this.#over) this.#read.give();
  }

  /** The whole body has arrived. */
  ended(): void {
    this.#listener?.(undefined);
  }

  credit(bytes: number): void {
    this.#writer.credit(bytes);
  }

  aborted(): void {
    if (this.#finish()) this.#onAbort();
  }

  head(given: unknown): void {
    if (!this.#over) this.#line.send('head', given);
  }

  data(piece: Buffer): boolean {
    return this.#over || this.#isEnding || this.#writer.write(piece);
  }

  end(): void {
    if (this.#over || this.#isEnding) return;
    this.#isEnding = true;
    this.#writer.end();
  }

  fail(error: unknown): void {
    if (this.#finish()) this.#line.send('fail', this.#line.faultOf(error));
  }

  #written(): void {
    if (this.#isEnding) this.#finish();
    else this.#onDrain();
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#writer.drop();
    this.#line.over();
    return true;
  }
}
