/**
 * Limits the requests that are processed at once, in total and for each caller, so that no caller takes every place. A
 * request counts for the address of its client until its caller is known, and then for the caller and the caller's
 * tenant. One without a place waits for it, and is refused when it has waited too long.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TooManyRequests } from '../errors.ts';
import { atClose } from '../network/at-close.ts';
import { inBackground } from '../watching/background.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import { Gate, type Release } from './gate.ts';
import { KnownCallers } from './known-callers.ts';
import { hasBody } from './receive-body.ts';

/**
 * A tenant may have 15 of 16 places, and one of its callers 7 of 8. The rest is for others; a caller that is alone has
 * nearly all.
 */
const LEVELS = [{ timesFree: 15 }, { timesFree: 7 }];
/**
 * Waiting requests, and bytes of their bodies that arrived with their heads. A further request is refused at once.
 * Refusals of half a request in a millisecond take some 5 % of a processor.
 */
const WAITS = { milliseconds: 1000, most: 4096, refusalsEachMillisecond: 0.5 };
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Bytes that Node reads from a connection before it waits for a reader. */
const MOST_READ_BYTES = 64 * 1024;

const BUSY = JSON.stringify({ exception_message: 'Service Unavailable' });
const BUSY_PLATFORM = JSON.stringify({
  error: { code: 'unavailable', message: 'The server is overloaded. Try again in a moment.' },
});
const RETRY_AFTER_SECONDS = '1';

export class RequestsUnderWay {
  readonly #gate: Gate;
  readonly #callers = new KnownCallers();
  #waitingBytes = 0;
  #draining: string | undefined;

  /** `elapsed` is a clock in milliseconds. */
  constructor(max: number, elapsed: () => number) {
    this.#gate = new Gate({ name: 'requests', places: max, levels: LEVELS, waits: WAITS, elapsed });
  }

  /** The reason why the server is about to stop: requests are still answered, and new ones should go elsewhere. */
  get draining(): string | undefined {
    return this.#draining;
  }

  /** Keeps the first reason. */
  beginDrain(reason: string): void {
    this.#draining ??= reason;
  }

  get count(): number {
    return this.#gate.taken;
  }

  /**
   * Calls `serve` once there is room for a request of `client`, the network of its address. Answers 503 with
   * Retry-After if there is none in time.
   */
  arrive(request: IncomingMessage, response: ServerResponse, client: string, serve: () => void, isPlatform: boolean) {
    const shares = this.#callers.sharesOf(request, client) ?? [client];
    if (this.#gate.refusalOf(shares) === undefined) return serve();
    const bytes = bytesRead(request);
    if (this.#waitingBytes + bytes > MOST_WAITING_BYTES) return answerBusy(response, isPlatform);
    this.#waitingBytes += bytes;
    const wait = this.#gate.acquire(shares, { signal: signalOf(response) }).finally(() => {
      this.#waitingBytes -= bytes;
    });
    const serveInPlace = (release: Release) => {
      // `serve` enters before the place is given to the next.
      try {
        serve();
      } finally {
        release();
      }
    };
    inBackground(
      'a request that waited',
      () => wait.then(serveInPlace, () => answerBusy(response, isPlatform)),
      () => response.destroy(),
    );
  }

  /** Counts a request of `client` until it leaves. */
  enter(client: string, response: ServerResponse): RequestPlace {
    const remember = (shares: readonly string[]) => this.#callers.remember(response.req, client, shares);
    return new RequestPlace(this.#gate, response, client, remember);
  }

  /**
   * Runs work that has no HTTP request, and counts it against `shares` until it ends. Throws TooManyRequests if the
   * limit is reached.
   */
  async during<T>(shares: readonly string[], work: () => Promise<T>): Promise<T> {
    const release = this.#gate.take(shares);
    if (!release) throw refused();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Refuses the waiting requests, and later ones that would have to wait. */
  close(): void {
    this.#gate.close();
  }
}

/** The place of one request. */
export class RequestPlace {
  readonly #gate: Gate;
  readonly #response: ServerResponse;
  readonly #remember: (shares: readonly string[]) => void;
  #shares: readonly string[];
  #release: Release;

  constructor(gate: Gate, response: ServerResponse, client: string, remember: (shares: readonly string[]) => void) {
    this.#gate = gate;
    this.#response = response;
    this.#remember = remember;
    this.#shares = [client];
    this.#release = gate.takeAnyway(this.#shares);
  }

  /**
   * Counts the request for `shares`, its tenant and its caller, once there is room for them. Throws TooManyRequests if
   * there is none in time. Without shares it continues to count for its client.
   */
  async countFor(shares: readonly string[]): Promise<void> {
    if (shares.length === 0) return;
    this.#remember(shares);
    this.#shares = shares;
    this.#release = this.#gate.trade(this.#release, shares) ?? (await this.#wait());
  }

  /** Does not count the request while it waits for its client instead of this server. Throws like `countFor`. */
  async except<T>(waiting: Promise<T>): Promise<T> {
    this.#release();
    const result = await waiting;
    this.#release = this.#gate.take(this.#shares) ?? (await this.#wait());
    return result;
  }

  /** Stops counting the request. */
  leave(): void {
    this.#release();
  }

  /** It has been admitted, so it goes before those that arrive. */
  async #wait(): Promise<Release> {
    try {
      return await this.#gate.acquire(this.#shares, { first: true, signal: signalOf(this.#response) });
    } catch {
      throw refused();
    }
  }
}

function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  atClose(response, () => gone.abort());
  return gone.signal;
}

/** Bytes of its body that have arrived with its head. */
function bytesRead(request: IncomingMessage): number {
  return hasBody(request) ? Math.min(Number(request.headers['content-length'] ?? MOST_READ_BYTES), MOST_READ_BYTES) : 0;
}

function refused(): TooManyRequests {
  limitRefusals.note({ limit: 'requests' });
  return new TooManyRequests('Too many of your requests are active. Try again in a moment.', 1);
}

/** Answers with as little work as possible. */
function answerBusy(response: ServerResponse, isPlatform: boolean): void {
  if (response.destroyed) return;
  limitRefusals.note({ limit: 'requests' });
  const body = isPlatform ? BUSY_PLATFORM : BUSY;
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': RETRY_AFTER_SECONDS,
  });
  response.end(body);
}
