/**
 * Lends places, such as connections or threads, and lets a request for one wait. A share that asks for everything gets two
 * thirds of them, and a place that comes back goes to the share that holds fewest.
 */
import { Unavailable } from '../errors.ts';
import { Places, type Release } from './places.ts';

/** A share may hold twice as many places as are free. */
const TIMES_FREE = [2];

export interface QueueLimits {
  readonly places: number;
  /** Longest wait for a place; a longer one is refused. */
  readonly waitMilliseconds: number;
  /** Most requests of one share that may wait; the next is refused at once. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly order: number;
  grant(): void;
}

export class PlaceQueue {
  readonly #limits: QueueLimits;
  readonly #places: Places;
  readonly #waiting = new Map<string, Waiting[]>();
  #order = 0;

  /** Shares in `exempt` may take every place. */
  constructor(limits: QueueLimits, exempt: readonly string[] = []) {
    this.#limits = limits;
    this.#places = new Places(limits.places, TIMES_FREE, exempt);
  }

  /** Resolves with a place. Throws Unavailable when the wait was too long, too many wait, or `signal` aborts. */
  acquire(share: string, signal?: AbortSignal): Promise<Release> {
    if (signal?.aborted) return Promise.reject(gone());
    if (!this.#waiting.has(share) && this.#places.mayTake([share])) return Promise.resolve(this.#take(share));
    return this.#wait(share, signal);
  }

  #take(share: string): Release {
    const release = this.#places.take([share]);
    return () => {
      release();
      this.#grantNext();
    };
  }

  #wait(share: string, signal: AbortSignal | undefined): Promise<Release> {
    const queue = this.#waiting.get(share) ?? [];
    if (queue.length >= this.#limits.maxWaiting) return Promise.reject(busy());
    this.#waiting.set(share, queue);
    return new Promise<Release>((resolve, reject) => {
      const leave = (error: Unavailable) => {
        settle();
        queue.splice(queue.indexOf(waiting), 1);
        this.#forget(share, queue);
        reject(error);
      };
      const onAbort = () => leave(gone());
      const timer = setTimeout(() => leave(busy()), this.#limits.waitMilliseconds);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        order: this.#order++,
        grant: () => {
          settle();
          resolve(this.#take(share));
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(waiting);
    });
  }

  #grantNext(): void {
    for (;;) {
      const share = this.#nextShare();
      if (share === undefined) return;
      const queue = this.#waiting.get(share) ?? [];
      const next = queue.shift();
      this.#forget(share, queue);
      next?.grant();
    }
  }

  /** The share that holds fewest of those that wait and may take a place; of equal ones, the one that waits longest. */
  #nextShare(): string | undefined {
    let best: string | undefined;
    let bestHeld = Number.POSITIVE_INFINITY;
    let bestOrder = Number.POSITIVE_INFINITY;
    for (const [share, [first]] of this.#waiting) {
      if (!first || !this.#places.mayTake([share])) continue;
      const held = this.#places.heldBy(share);
      if (held > bestHeld || (held === bestHeld && first.order > bestOrder)) continue;
      best = share;
      bestHeld = held;
      bestOrder = first.order;
    }
    return best;
  }

  #forget(share: string, queue: readonly Waiting[]): void {
    if (queue.length === 0) this.#waiting.delete(share);
  }
}

function busy(): Unavailable {
  return new Unavailable('The database is busy.');
}

function gone(): Unavailable {
  return new Unavailable('The client has disconnected.');
}
