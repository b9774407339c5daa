/**
 * Limits the requests that are processed at once, in total and for each caller, so that no caller takes every place. A
 * request counts for the address of its client until its caller is known, and then for the caller and the caller's
 * tenant.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TooManyRequests } from '../errors.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import { KnownCallers } from './known-callers.ts';
import { Places, type Release } from './places.ts';
import { WaitingRequests } from './waiting-requests.ts';

/**
 * A tenant may have 15 of 16 places, and one of its callers 7 of 8. The rest is for others; a caller that is alone has
 * nearly all.
 */
const TIMES_FREE = [15, 7];

export class RequestsUnderWay {
  readonly #places: Places;
  readonly #waiting: WaitingRequests;
  readonly #callers = new KnownCallers();
  #draining: string | undefined;

  /** `elapsed` is a clock in milliseconds. */
  constructor(max: number, elapsed: () => number) {
    this.#places = new Places(max, TIMES_FREE);
    this.#waiting = new WaitingRequests(this.#places, elapsed);
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
    return this.#places.taken;
  }

  /**
   * Calls `serve` once there is room for a request of `client`, the network of its address. Answers 503 with
   * Retry-After if there is none in time.
   */
  arrive(request: IncomingMessage, response: ServerResponse, client: string, serve: () => void, isPlatform: boolean) {
    const shares = this.#callers.sharesOf(request, client) ?? [client];
    if (this.#places.mayTake(shares)) serve();
    else this.#waiting.addArrival(request, response, { shares, serve, isPlatform });
  }

  /** Counts a request of `client` until it leaves. */
  enter(client: string, response: ServerResponse): RequestPlace {
    const remember = (shares: readonly string[]) => this.#callers.remember(response.req, client, shares);
    return new RequestPlace(this.#places, this.#waiting, response, client, remember);
  }

  /**
   * Runs work that has no HTTP request, and counts it against `shares` until it ends. Throws TooManyRequests if the
   * limit is reached.
   */
  async during<T>(shares: readonly string[], work: () => Promise<T>): Promise<T> {
    if (!this.#places.mayTake(shares)) throw refused();
    const release = this.#places.take(shares);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Refuses the waiting requests, and later ones that would have to wait. */
  close(): void {
    this.#waiting.close();
  }
}

/** The place of one request. */
export class RequestPlace {
  readonly #places: Places;
  readonly #waiting: WaitingRequests;
  readonly #response: ServerResponse;
  readonly #remember: (shares: readonly string[]) => void;
  #shares: readonly string[];
  #release: Release;

  constructor(
    places: Places,
    waiting: WaitingRequests,
    response: ServerResponse,
    client: string,
    remember: (shares: readonly string[]) => void,
  ) {
    this.#places = places;
    this.#waiting = waiting;
    this.#response = response;
    this.#remember = remember;
    this.#shares = [client];
    this.#release = places.take(this.#shares);
  }

  /**
   * Counts the request for `shares`, its tenant and its caller, once there is room for them. Throws TooManyRequests if
   * there is none in time. Without shares it continues to count for its client.
   */
  async countFor(shares: readonly string[]): Promise<void> {
    if (shares.length === 0) return;
    this.#remember(shares);
    this.#release();
    this.#shares = shares;
    await this.#takeAgain();
  }

  /** Does not count the request while it waits for its client instead of this server. Throws like `countFor`. */
  async except<T>(waiting: Promise<T>): Promise<T> {
    this.#release();
    const result = await waiting;
    await this.#takeAgain();
    return result;
  }

  /** Stops counting the request. */
  leave(): void {
    this.#release();
  }

  async #takeAgain(): Promise<void> {
    const release = this.#places.mayTake(this.#shares)
      ? this.#places.take(this.#shares)
      : await this.#waiting.placeFor(this.#shares, this.#response);
    if (!release) throw refused();
    this.#release = release;
  }
}

function refused(): TooManyRequests {
  limitRefusals.note({ limit: 'requests' });
  return new TooManyRequests('Too many of your requests are active. Try again in a moment.', 1);
}
