/**
 * Receives the body of a request after its credential is accepted. Until then the body stays in the buffers of the
 * system, however many requests there are. The rest of a refused request is discarded for a while, so that its sender
 * can read the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { atClose } from '../network/at-close.ts';
import type { Capacity } from './capacity.ts';
import { Gate, type Release } from './gate.ts';

/**
 * `too_large` beyond the size limit, `too_slow` beyond its time, `no_room` while other bodies fill the memory for
 * bodies, `broken` when the client disconnects before the end.
 */
export type ReceivedBody = Buffer | 'too_large' | 'too_slow' | 'no_room' | 'broken';

/** A body has one more second for this many bytes: a slow line passes, a trickle does not. */
const BYTES_PER_SECOND = 16 * 1024;
/** Bytes of an unread body that are discarded before the connection is closed. */
const UNREAD_BYTES = 128 * 1024;
const UNREAD_MILLISECONDS = 5000;
const NO_BYTES = Buffer.alloc(0);

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

interface BodyLimits {
  /** Seconds until the end of a body, plus one for each 16 kB received. */
  readonly bodyTimeoutSeconds: number;
  readonly maxBodyBytes: number;
}

/** The part of all bytes of bodies that one workspace or organization may use, but at least one body of the largest size. */
const SHARE = 1 / 4;

/** Receives the bodies of a server, and counts the bytes that it holds. */
export class BodyReceiver {
  readonly #limits: BodyLimits;
  readonly #held: Gate;

  constructor(limits: BodyLimits, { bodyBytes }: Pick<Capacity, 'bodyBytes'>) {
    this.#limits = limits;
    this.#held = new Gate({
      name: 'bodies',
      places: bodyBytes,
      levels: [{ most: Math.max(bodyBytes * SHARE, limits.maxBodyBytes) }],
    });
  }

  /**
   * Returns the body if all of it has arrived: most arrive in one piece with the head. Otherwise undefined, and
   * `receive` waits for it. The same limits apply.
   */
  receiveArrived(
    request: IncomingMessage,
    response: ServerResponse,
    maxBytes: number,
    holder: string | undefined,
  ): ReceivedBody | undefined {
    const size = request.readableLength;
    if (!request.complete || size === 0 || request.destroyed) return undefined;
    if (response.destroyed) return 'broken';
    if (size > maxBytes) return 'too_large';
    const release = this.#held.take(sharesOf(holder), size);
    if (!release) return 'no_room';
    atClose(response, release);
    const first = request.read() as Buffer;
    if (first.length === size) return first;
    const parts = [first];
    for (let part = request.read(); part !== null; part = request.read()) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  /**
   * The whole body, empty when there is none. It counts against the limits until its request has been answered, because
   * values made from it stay in memory as long. `holder` is the workspace or organization of the sender.
   */
  receive(
    request: IncomingMessage,
    response: ServerResponse,
    maxBytes: number,
    holder: string | undefined,
  ): Promise<ReceivedBody> {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too_large');
    if (request.complete && request.readableEnded) return Promise.resolve(NO_BYTES);
    if (request.destroyed) return Promise.resolve('broken');
    if (this.#held.isFull) return Promise.resolve('no_room');
    return new Promise((resolve) => {
      const began = performance.now();
      const parts: Buffer[] = [];
      let size = 0;
      const held: Release[] = [];
      const release = () => {
        for (const giveBack of held.splice(0)) giveBack();
        parts.length = 0;
      };
      const done = (result: ReceivedBody) => {
        clearTimeout(timer);
        if (typeof result === 'string' || response.destroyed) release();
        else atClose(response, release);
        request.off('data', take).off('end', end).off('close', gone);
        resolve(result);
      };
      const giveUp = (result: ReceivedBody) => {
        request.pause();
        done(result);
      };
      const take = (part: Buffer) => {
        const taken = this.#held.take(sharesOf(holder), part.length);
        if (!taken) return giveUp('no_room');
        held.push(taken);
        size += part.length;
        parts.push(part);
        if (size > maxBytes) giveUp('too_large');
      };
      const end = () => done(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      const gone = () => done('broken');
      const allowed = () => (this.#limits.bodyTimeoutSeconds + size / BYTES_PER_SECOND) * 1000;
      const late = () => {
        const left = allowed() - (performance.now() - began);
        if (left > 0) timer = setTimeout(late, left);
        else giveUp('too_slow');
      };
      let timer = setTimeout(late, allowed());
      request.on('data', take).on('end', end).on('close', gone);
    });
  }
}

function sharesOf(holder: string | undefined): readonly string[] {
  return holder === undefined ? [] : [holder];
}

/**
 * Closes the connection of a request that continues to send after its answer, once its sender had time to read the
 * answer.
 */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  // `prefinish` comes before `finish`. After `finish`, Node reads the rest of the body without a limit or an event.
  response.on('prefinish', boundRest);
}

function boundRest(this: ServerResponse): void {
  const { req: request } = this;
  if (request.complete) return;
  const { socket } = request;
  let bytes = 0;
  const timer = setTimeout(() => socket.destroy(), UNREAD_MILLISECONDS);
  request.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > UNREAD_BYTES) socket.destroy();
  });
  request.resume();
  request.once('close', () => clearTimeout(timer));
}
