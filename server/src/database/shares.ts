/**
 * Lends a fixed number of places, such as connections or threads, so that no one share holds them all. A share (a
 * workspace, an organization) may take a place while it holds less than twice as many as are free: one that asks for
 * everything gets two thirds, several leave room for the next. A place that comes back goes to the share that holds
 * fewest.
 */
import { Unavailable } from '../errors.ts';

export interface ShareLimits {
  readonly places: number;
  /** Longest wait for a place; a longer one is refused. */
  readonly waitMilliseconds: number;
  /** Most requests of one share that may wait; the next is refused at once. */
  readonly maxWaiting: number;
}

/** Gives the place back. Later calls do nothing. */
export type Release = () => void;

interface Waiting {
  readonly order: number;
  grant(): void;
}

export class Shares {
  readonly #limits: ShareLimits;
  /** Shares without a limit, for what every request needs. */
  readonly #exempt: ReadonlySet<string>;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  #free: number;
  #order = 0;

  constructor(limits: ShareLimits, exempt: readonly string[] = []) {
    this.#limits = limits;
    this.#exempt = new Set(exempt);
    this.#free = limits.places;
  }

  /** Resolves with a place. Throws Unavailable when the wait was too long, too many wait, or `signal` aborts. */
  acquire(share: string, signal?: AbortSignal): Promise<Release> {
    if (signal?.aborted) return Promise.reject(gone());
    if (!this.#waiting.has(share) && this.#mayTake(share)) return Promise.resolve(this.#take(share));
    return this.#wait(share, signal);
  }

  #mayTake(share: string): boolean {
    if (this.#free === 0) return false;
    return this.#exempt.has(share) || (this.#held.get(share) ?? 0) < 2 * this.#free;
  }

  #take(share: string): Release {
    this.#free--;
    this.#held.set(share, (this.#held.get(share) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#free++;
      const left = (this.#held.get(share) ?? 0) - 1;
      if (left > 0) this.#held.set(share, left);
      else this.#held.delete(share);
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
      if (!first || !this.#mayTake(share)) continue;
      const held = this.#exempt.has(share) ? -1 : (this.#held.get(share) ?? 0);
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
