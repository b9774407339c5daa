/**
 * Queues requests without a place of `RequestsUnderWay`, and refuses them when they have waited too long. It limits the
 * refusals per second, because clients that retry at once would take the processor from the work of others.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { guarded, inBackground } from '../watching/background.ts';
import { limitRefusals } from '../watching/telemetry.ts';
import type { Places, Release } from './places.ts';
import { hasBody } from './receive-body.ts';

const BUSY = JSON.stringify({ exception_message: 'Service Unavailable' });
const BUSY_PLATFORM = JSON.stringify({
  error: { code: 'unavailable', message: 'The server is overloaded. Try again in a moment.' },
});
const RETRY_AFTER_SECONDS = '1';

const WAIT_MILLISECONDS = 1000;
const TICK_MILLISECONDS = 25;
/** Refusals of half a request in a millisecond take some 5 % of a processor. */
const MOST_REFUSED_EACH_MILLISECOND = 0.5;
/** Waiting requests, and bytes of their bodies that arrived with their heads. A further request is refused at once. */
const MOST_WAITING = 4096;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Bytes that Node reads from a connection before it waits for a reader. */
const MOST_READ_BYTES = 64 * 1024;

interface Waiting {
  /** The shares whose places it needs. */
  readonly shares: readonly string[];
  readonly goOn: () => void;
  readonly refuse: () => void;
  /** Time by the clock from which the request may be refused. */
  readonly due: number;
  readonly bytes: number;
}

interface Arrival {
  readonly shares: readonly string[];
  readonly serve: () => void;
  readonly isPlatform: boolean;
}

export class WaitingRequests {
  readonly #places: Places;
  readonly #elapsed: () => number;
  /** The oldest first. Admitted requests come before arrivals. */
  readonly #admitted = new Map<ServerResponse, Waiting>();
  readonly #arrived = new Map<ServerResponse, Waiting>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Time by the clock of the last refusals. */
  #refused = 0;
  #isClosed = false;

  /** `elapsed` is a clock in milliseconds. */
  constructor(places: Places, elapsed: () => number) {
    this.#places = places;
    this.#elapsed = elapsed;
  }

  /** Calls `serve` once there is room for the request, or answers 503 with Retry-After. */
  addArrival(request: IncomingMessage, response: ServerResponse, { shares, serve, isPlatform }: Arrival): void {
    const bytes = hasBody(request)
      ? Math.min(Number(request.headers['content-length'] ?? MOST_READ_BYTES), MOST_READ_BYTES)
      : 0;
    const refuse = () => answerBusy(response, isPlatform);
    if (!this.#add(this.#arrived, response, { shares, goOn: serve, refuse, due: this.#dueTime(), bytes })) refuse();
  }

  /** A place for an admitted request; undefined if there is none in time, or if its client has gone. */
  placeFor(shares: readonly string[], response: ServerResponse): Promise<Release | undefined> {
    return new Promise((resolve) => {
      const goOn = () => resolve(this.#places.take(shares));
      const refuse = () => resolve(undefined);
      response.once('close', refuse);
      if (!this.#add(this.#admitted, response, { shares, goOn, refuse, due: this.#dueTime(), bytes: 0 })) refuse();
    });
  }

  /** Refuses all waiting requests, and later ones at once. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { refuse } of [...this.#admitted.values(), ...this.#arrived.values()]) refuse();
  }

  #add(list: Map<ServerResponse, Waiting>, response: ServerResponse, waiting: Waiting): boolean {
    const isFull = this.#admitted.size + this.#arrived.size >= MOST_WAITING;
    if (this.#isClosed || isFull || this.#bytes + waiting.bytes > MOST_WAITING_BYTES) return false;
    list.set(response, waiting);
    this.#bytes += waiting.bytes;
    response.once(
      'close',
      guarded('the end of a request that waits', () => this.#remove(list, response)),
    );
    if (this.#timer !== undefined) return true;
    this.#refused = this.#elapsed();
    this.#timer = setInterval(
      guarded('a check of waiting requests', () => this.#look()),
      TICK_MILLISECONDS,
    );
    return true;
  }

  #look(): void {
    const now = this.#elapsed();
    let refusals = Math.ceil((now - this.#refused) * MOST_REFUSED_EACH_MILLISECOND);
    this.#refused = now;
    for (const list of [this.#admitted, this.#arrived]) {
      for (const [response, { shares, goOn, refuse, due }] of list) {
        if (this.#places.mayTake(shares)) {
          this.#remove(list, response);
          inBackground('a request that waited', goOn, () => response.destroy());
        } else if (due <= now && refusals > 0) {
          refusals -= 1;
          this.#remove(list, response);
          inBackground('the refusal of a request that waited', refuse, () => response.destroy());
        } else if (this.#places.isFull) break;
      }
    }
    if (this.#admitted.size + this.#arrived.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #dueTime(): number {
    return this.#elapsed() + WAIT_MILLISECONDS;
  }

  #remove(list: Map<ServerResponse, Waiting>, response: ServerResponse): void {
    this.#bytes -= list.get(response)?.bytes ?? 0;
    list.delete(response);
  }
}

/** Answers with as little work as possible. */
function answerBusy(response: ServerResponse, isPlatform: boolean): void {
  limitRefusals.note({ limit: 'requests' });
  const body = isPlatform ? BUSY_PLATFORM : BUSY;
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': RETRY_AFTER_SECONDS,
  });
  response.end(body);
}
