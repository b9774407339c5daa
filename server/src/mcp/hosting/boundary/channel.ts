/**
 * Two processes of this program over a socket: both ask, answer and tell, and either streams bytes with credit, so that a
 * slow reader stops a fast writer. A frame is its length (4 bytes), kind (1), number of the call (4) and content; the
 * length counts what follows it.
 */
import type { Socket } from 'node:net';
import { guarded, inBackground } from '../../../background.ts';

const KINDS = [
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
type Kind = (typeof KINDS)[number];

const HEADER_BYTES = 9;
const MAX_FRAME_BYTES = 67_108_864;
/** Bytes of a stream that may be on their way without credit. */
const WINDOW_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;

/** Something that was asked for failed on the other side. */
export interface Fault {
  readonly kind: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

/** The other side is gone. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
}

export interface ChannelOptions {
  /** Answers what the other side asks. `signal` says that it no longer wants the answer. */
  asked(method: string, given: never, signal: AbortSignal): Promise<unknown>;
  told(method: string, given: never): void;
  opened(given: never, stream: Incoming): void;
  /** Between errors and what of them crosses the boundary. */
  faultOf(error: unknown): Fault;
  errorOf(fault: Fault): unknown;
  closed(): void;
}

/** A stream that the other side has opened: its bytes come here, and an answer goes back. */
export interface Incoming {
  /** Called with each piece of what it sends, and with undefined at its end. */
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

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class Channel {
  readonly #socket: Socket;
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #asked = new Map<number, AbortController>();
  readonly #outgoing = new Map<number, OpenStream>();
  readonly #incoming = new Map<number, IncomingStream>();
  #parts: Buffer[] = [];
  #bytes = 0;
  #lastCall = 0;
  #closed = false;

  constructor(socket: Socket, options: ChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    const end = () => this.close();
    socket.on(
      'data',
      guarded('a frame of another process', (piece: Buffer) => this.#receive(piece), end),
    );
    socket.on('error', () => {});
    socket.once('close', guarded('the end of a channel', end));
  }

  /** Rejects with what the other side's fault stands for, with ChannelClosed, or with the reason of the signal. */
  ask(method: string, given: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed) return Promise.reject(new ChannelClosed('The other process has ended.'));
    const call = ++this.#lastCall;
    const cancel = guarded('the cancel of a question', () => this.#send('cancel', call));
    signal?.addEventListener('abort', cancel);
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#send('ask', call, { method, given });
      if (signal?.aborted) cancel();
    }).finally(() => signal?.removeEventListener('abort', cancel));
  }

  tell(method: string, given: unknown): void {
    this.#send('tell', 0, { method, given });
  }

  open(given: unknown, body: Buffer | null, receiver: Receiver): Outgoing {
    const call = ++this.#lastCall;
    const stream = new OpenStream(receiver, body, {
      send: (kind, content) => this.#send(kind, call, content),
      over: () => this.#outgoing.delete(call),
    });
    if (this.#closed) {
      queueMicrotask(
        guarded('the end of a request', () => stream.fail(new ChannelClosed('The other process has ended.'))),
      );
    } else {
      this.#outgoing.set(call, stream);
      this.#send('open', call, given);
      stream.write();
    }
    return { abort: () => stream.abort(), resume: () => stream.resume() };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    const gone = () => new ChannelClosed('The other process has ended.');
    for (const { reject } of this.#waiting.values()) reject(gone());
    for (const stream of [...this.#outgoing.values()]) stream.fail(gone());
    for (const stream of [...this.#incoming.values()]) stream.aborted();
    for (const controller of this.#asked.values()) controller.abort(gone());
    this.#options.closed();
  }

  #receive(piece: Buffer): void {
    this.#parts.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= HEADER_BYTES && !this.#closed) {
      let all = this.#parts[0]!;
      if (all.length < HEADER_BYTES) all = this.#joined();
      const length = all.readUInt32BE(0);
      if (length > MAX_FRAME_BYTES || length < HEADER_BYTES - 4) throw new Error('A frame has an impossible length.');
      if (this.#bytes < length + 4) return;
      if (all.length < length + 4) all = this.#joined();
      const rest = all.subarray(length + 4);
      this.#parts[0] = rest;
      if (rest.length === 0) this.#parts.shift();
      this.#bytes -= length + 4;
      this.#take(KINDS[all.readUInt8(4)], all.readUInt32BE(5), all.subarray(HEADER_BYTES, length + 4));
    }
  }

  #joined(): Buffer {
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }

  #take(kind: Kind | undefined, call: number, content: Buffer): void {
    switch (kind) {
      case 'ask':
        this.#answer(call, content);
        break;
      case 'answer':
      case 'fault':
        this.#answered(kind, call, content);
        break;
      case 'cancel':
        this.#asked.get(call)?.abort(new Error('It is no longer wanted.'));
        break;
      case 'tell': {
        const { method, given } = parsed(content) as { method: string; given: never };
        this.#options.told(method, given);
        break;
      }
      case 'open':
        this.#opened(call, content);
        break;
      case 'abort':
        this.#incoming.get(call)?.aborted();
        break;
      case 'head':
        this.#outgoing.get(call)?.head(parsed(content) as never);
        break;
      case 'fail':
        this.#outgoing.get(call)?.fail(this.#options.errorOf(parsed(content) as Fault));
        break;
      case 'credit':
        (this.#outgoing.get(call) ?? this.#incoming.get(call))?.credit(content.readUInt32BE(0));
        break;
      case 'data':
        (this.#outgoing.get(call) ?? this.#incoming.get(call))?.received(content);
        break;
      case 'end':
        (this.#outgoing.get(call) ?? this.#incoming.get(call))?.ended();
        break;
      default:
        throw new Error('A frame is of an unknown kind.');
    }
  }

  #answer(call: number, content: Buffer): void {
    const { method, given } = parsed(content) as { method: string; given: never };
    const controller = new AbortController();
    this.#asked.set(call, controller);
    inBackground('a question of another process', async () => {
      try {
        const value = await this.#options.asked(method, given, controller.signal);
        this.#send('answer', call, value ?? null);
      } catch (error) {
        this.#send('fault', call, this.#options.faultOf(error));
      } finally {
        this.#asked.delete(call);
      }
    });
  }

  #answered(kind: 'answer' | 'fault', call: number, content: Buffer): void {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (kind === 'answer') waiting?.resolve(parsed(content));
    else waiting?.reject(this.#options.errorOf(parsed(content) as Fault));
  }

  #opened(call: number, content: Buffer): void {
    const stream = new IncomingStream({
      send: (kind, given) => this.#send(kind, call, given),
      over: () => this.#incoming.delete(call),
      faultOf: (error) => this.#options.faultOf(error),
    });
    this.#incoming.set(call, stream);
    this.#options.opened(parsed(content) as never, stream);
  }

  #send(kind: Kind, call: number, content?: unknown): void {
    if (this.#closed) return;
    const body =
      content === undefined ? EMPTY : Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32BE(HEADER_BYTES - 4 + body.length, 0);
    header.writeUInt8(KINDS.indexOf(kind), 4);
    header.writeUInt32BE(call, 5);
    this.#socket.cork();
    this.#socket.write(header);
    if (body.length > 0) this.#socket.write(body);
    process.nextTick(() => this.#socket.uncork());
  }
}

const EMPTY = Buffer.alloc(0);

function parsed(content: Buffer): unknown {
  return JSON.parse(content.toString('utf8'));
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
class OpenStream {
  readonly #receiver: Receiver;
  readonly #line: Line;
  #body: Buffer | null;
  #mayWrite = WINDOW_BYTES;
  #bodyEnded = false;
  /** Bytes that the receiver has and asked a pause for. */
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
    // The frame is a part of what was read from the socket, which it would keep.
    if (this.#receiver.data(Buffer.from(piece))) this.#line.send('credit', creditOf(piece.length));
    else this.#unread += piece.length;
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
class IncomingStream implements Incoming {
  readonly #line: Line & Pick<ChannelOptions, 'faultOf'>;
  #listener: ((piece: Buffer | undefined) => void) | undefined;
  #onAbort = () => {};
  #onDrain = () => {};
  #mayWrite = WINDOW_BYTES;
  #isPaused = false;
  #over = false;

  constructor(line: Line & Pick<ChannelOptions, 'faultOf'>) {
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
