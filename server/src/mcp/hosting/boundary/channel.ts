/**
 * Connects two processes of this program over a socket: both send requests, answers and notifications, and either
 * streams bytes with credit, so that a slow reader stops a fast writer. A frame is its length (4 bytes), kind (1),
 * number of the call (4) and content; the length counts the bytes after it.
 */
import type { Socket } from 'node:net';
import { guarded, inBackground } from '../../../watching/background.ts';
import {
  type Fault,
  type Incoming,
  IncomingStream,
  KINDS,
  type Kind,
  OpenStream,
  type Outgoing,
  type Receiver,
} from './streams.ts';

const HEADER_BYTES = 9;
const MAX_FRAME_BYTES = 67_108_864;

/** The other process is gone. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
}

export interface ChannelOptions {
  /** One side numbers its calls with even numbers, the other with odd ones. */
  readonly firstCall: 0 | 1;
  /** Answers a request of the other side. `signal` aborts when it no longer needs the answer. */
  asked(method: string, given: never, signal: AbortSignal): Promise<unknown>;
  told(method: string, given: never): void;
  opened(given: never, stream: Incoming): void;
  /** Converts errors to the form that crosses the boundary. */
  faultOf(error: unknown): Fault;
  errorOf(fault: Fault): unknown;
  closed(): void;
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
  /** The call of a data frame whose beginning has arrived, and its missing bytes: they are passed on as they arrive. */
  #data = { call: 0, left: 0 };
  #lastCall: number;
  #closed = false;

  constructor(socket: Socket, options: ChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#lastCall = options.firstCall;
    const end = () => this.close();
    socket.on(
      'data',
      guarded('a frame of another process', (piece: Buffer) => this.#receive(piece), end),
    );
    socket.on('error', () => {});
    socket.once('close', guarded('the end of a channel', end));
  }

  /** Rejects with the error of the other side, with ChannelClosed, or with the reason of the signal. */
  ask(method: string, given: unknown, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed) return Promise.reject(new ChannelClosed('The other process has ended.'));
    const call = this.#nextCall();
    const cancel = guarded('the cancel of a question', () => this.#send('cancel', call));
    signal?.addEventListener('abort', cancel);
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#send('ask', call, { method, given });
      if (signal?.aborted) cancel();
    }).finally(() => signal?.removeEventListener('abort', cancel));
  }

  #nextCall(): number {
    this.#lastCall += 2;
    return this.#lastCall;
  }

  tell(method: string, given: unknown): void {
    this.#send('tell', 0, { method, given });
  }

  open(given: unknown, body: Buffer | null, receiver: Receiver): Outgoing {
    const call = this.#nextCall();
    const stream = new OpenStream(receiver, {
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
      stream.send(body);
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
    while (!this.#closed) {
      if (this.#data.left > 0) {
        const data = this.#taken(this.#data.left);
        if (data.length === 0) return;
        this.#data.left -= data.length;
        this.#streamOf(this.#data.call)?.received(data);
        continue;
      }
      if (this.#bytes < HEADER_BYTES) return;
      let all = this.#parts[0]!;
      if (all.length < HEADER_BYTES) all = this.#joined();
      const length = all.readUInt32BE(0);
      if (length > MAX_FRAME_BYTES || length < HEADER_BYTES - 4) throw new Error('A frame has an impossible length.');
      const kind = KINDS[all.readUInt8(4)];
      const call = all.readUInt32BE(5);
      if (kind === 'data') {
        this.#taken(HEADER_BYTES);
        this.#data = { call, left: length + 4 - HEADER_BYTES };
        continue;
      }
      if (this.#bytes < length + 4) return;
      if (all.length < length + 4) this.#joined();
      this.#take(kind, call, this.#taken(length + 4).subarray(HEADER_BYTES));
    }
  }

  /** Takes up to `length` bytes from the first part. */
  #taken(length: number): Buffer {
    const [first = EMPTY] = this.#parts;
    const taken = first.subarray(0, length);
    if (taken.length === first.length) this.#parts.shift();
    else this.#parts[0] = first.subarray(length);
    this.#bytes -= taken.length;
    return taken;
  }

  #streamOf(call: number): OpenStream | IncomingStream | undefined {
    return this.#outgoing.get(call) ?? this.#incoming.get(call);
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
        this.#asked.get(call)?.abort(new Error('It is no longer needed.'));
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
        this.#streamOf(call)?.credit(content.readUInt32BE(0));
        break;
      case 'end':
        this.#streamOf(call)?.ended();
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
