/**
 * Requests past the limit of `RequestsUnderWay` wait for room, and are refused when they waited too long. Only so many are
 * refused each second, because clients that ask again at once would take the processor from the work of others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limitRefusals } from '../telemetry.ts';
import { hasBody } from './receive-body.ts';
import type { RequestsUnderWay } from './requests-under-way.ts';

const BUSY = JSON.stringify({ exception_message: 'Service Unavailable' });
const BUSY_PLATFORM = JSON.stringify({
  error: { code: 'unavailable', message: 'The server is overloaded. Try again in a moment.' },
});
const RETRY_AFTER_SECONDS = '1';

const WAIT_MILLISECONDS = 1000;
const TICK_MILLISECONDS = 25;
/** They take some 5 % of a processor. */
const MOST_REFUSED_EACH_MILLISECOND = 0.5;
/** Requests that wait, and bytes of their bodies that came with their heads. One more is refused at once. */
const MOST_WAITING = 4096;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** As much as Node reads of a connection before it looks whether anyone takes it. */
const MOST_READ_BYTES = 64 * 1024;

interface Waiting {
  readonly serve: () => void;
  readonly isPlatform: boolean;
  /** Reading of `performance.now()` from which on it may be refused. */
  readonly due: number;
  readonly bytes: number;
}

export class WaitingRequests {
  readonly #underWay: RequestsUnderWay;
  /** Oldest first. */
  readonly #waiting = new Map<ServerResponse, Waiting>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Reading of `performance.now()` when requests were last refused. */
  #refused = 0;
  #isClosed = false;

  constructor(underWay: RequestsUnderWay) {
    this.#underWay = underWay;
  }

  /** Calls `serve` once there is room for the request, or answers 503 with Retry-After. */
  add(request: IncomingMessage, response: ServerResponse, serve: () => void, isPlatform: boolean): void {
    const bytes = hasBody(request)
      ? Math.min(Number(request.headers['content-length'] ?? MOST_READ_BYTES), MOST_READ_BYTES)
      : 0;
    if (this.#isClosed || this.#waiting.size >= MOST_WAITING || this.#bytes + bytes > MOST_WAITING_BYTES) {
      refuse(response, isPlatform);
      return;
    }
    this.#waiting.set(response, { serve, isPlatform, due: performance.now() + WAIT_MILLISECONDS, bytes });
    this.#bytes += bytes;
    response.once('close', () => this.#take(response));
    if (this.#timer !== undefined) return;
    this.#refused = performance.now();
    this.#timer = setInterval(() => this.#look(), TICK_MILLISECONDS);
  }

  /** Refuses all that wait, and later ones at once. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const [response, { isPlatform }] of this.#waiting) refuse(response, isPlatform);
  }

  #look(): void {
    const now = performance.now();
    let refusals = Math.ceil((now - this.#refused) * MOST_REFUSED_EACH_MILLISECOND);
    this.#refused = now;
    for (const [response, { serve, isPlatform, due }] of this.#waiting) {
      if (!this.#underWay.isFull) {
        this.#take(response);
        serve();
      } else if (due <= now && refusals > 0) {
        refusals -= 1;
        this.#take(response);
        refuse(response, isPlatform);
      } else return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #take(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response)?.bytes ?? 0;
    this.#waiting.delete(response);
  }
}

/** With as little work as possible. */
function refuse(response: ServerResponse, isPlatform: boolean): void {
  limitRefusals.note({ limit: 'requests' });
  const body = isPlatform ? BUSY_PLATFORM : BUSY;
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': RETRY_AFTER_SECONDS,
  });
  response.end(body);
}
