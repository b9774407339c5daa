/**
 * Lends places, such as connections or threads, and queues requests for them. A share that requests everything gets two
 * thirds of them, and a returned place goes to the share that holds the fewest. Within a share its callers take turns.
 */
import { Unavailable } from '../errors.ts';
import { Places, type Release } from './places.ts';

/** A share may hold twice as many places as are free. */
const TIMES_FREE = [2];

interface QueueLimits {
  readonly places: number;
  /** Longest wait for a place; a longer one is refused. */
  readonly waitMilliseconds: number;
  /** Most requests of one share that may wait; the next is refused at once. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly order: number;
  grant(): void;
  refuse(): void;
}

/** The waiting requests of one share, by their caller. The caller whose turn is next comes first. */
class Callers {
  readonly #queues = new Map<string, Waiting[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get next(): Waiting | undefined {
    for (const [first] of this.#queues.values()) return first;
    return undefined;
  }

  /** Removes and returns the next request in turn. */
  shift(): Waiting | undefined {
    for (const [caller, queue] of this.#queues) {
      const first = queue.shift();
      this.#size -= 1;
      this.#queues.delete(caller);
      if (queue.length > 0) this.#queues.set(caller, queue);
      return first;
    }
    return undefined;
  }

  add(caller: string, waiting: Waiting): void {
    const queue = this.#queues.get(caller);
    if (queue) queue.push(waiting);
    else this.#queues.set(caller, [waiting]);
    this.#size += 1;
  }

  remove(caller: string, waiting: Waiting): void {
    const queue = this.#queues.get(caller) ?? [];
    const index = queue.indexOf(waiting);
    if (index < 0) return;
    queue.splice(index, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(caller);
  }

  /**
   * Refuses the last request of the caller with the most, to make room for `caller`. False if that caller is `caller`
   * itself.
   */
  makeRoomFor(caller: string): boolean {
    let most = this.#queues.get(caller)?.length ?? 0;
    let last: Waiting | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.length <= most + 1) continue;
      most = queue.length - 1;
      last = queue.at(-1);
    }
    last?.refuse();
    return last !== undefined;
  }
}

export class PlaceQueue {
  readonly #limits: QueueLimits;
  readonly #places: Places;
  readonly #waiting = new Map<string, Callers>();
  #order = 0;

  /** Shares in `exempt` may take every place. */
  constructor(limits: QueueLimits, exempt: readonly string[] = []) {
    this.#limits = limits;
    this.#places = new Places(limits.places, TIMES_FREE, exempt);
  }

  /**
   * Resolves with a place for `share`; the callers of the share have equal parts of it. Throws Unavailable when the
   * wait is too long, when too many requests wait, or when `signal` aborts.
   */
  acquire(share: string, signal?: AbortSignal, caller = ''): Promise<Release> {
    if (signal?.aborted) return Promise.reject(gone());
    if (!this.#waiting.has(share) && this.#places.mayTake([share])) return Promise.resolve(this.#take(share));
    return this.#wait(share, signal, caller);
  }

  #take(share: string): Release {
    const release = this.#places.take([share]);
    return () => {
      release();
      this.#grantNext();
    };
  }

  #wait(share: string, signal: AbortSignal | undefined, caller: string): Promise<Release> {
    const callers = this.#waiting.get(share) ?? new Callers();
    if (callers.size >= this.#limits.maxWaiting && !callers.makeRoomFor(caller)) return Promise.reject(busy());
    this.#waiting.set(share, callers);
    return new Promise<Release>((resolve, reject) => {
      const leave = (error: Unavailable) => {
        settle();
        callers.remove(caller, waiting);
        this.#forget(share, callers);
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
        refuse: () => leave(busy()),
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      callers.add(caller, waiting);
    });
  }

  #grantNext(): void {
    for (;;) {
      const share = this.#nextShare();
      if (share === undefined) return;
      const callers = this.#waiting.get(share);
      const next = callers?.shift();
      if (callers) this.#forget(share, callers);
      next?.grant();
    }
  }

  /**
   * The share that holds the fewest places among those that wait and may take one; among equals, the one that has
   * waited longest.
   */
  #nextShare(): string | undefined {
    let best: string | undefined;
    let bestHeld = Number.POSITIVE_INFINITY;
    let bestOrder = Number.POSITIVE_INFINITY;
    for (const [share, { next: first }] of this.#waiting) {
      if (!first || !this.#places.mayTake([share])) continue;
      const held = this.#places.heldBy(share);
      if (held > bestHeld || (held === bestHeld && first.order > bestOrder)) continue;
      best = share;
      bestHeld = held;
      bestOrder = first.order;
    }
    return best;
  }

  #forget(share: string, callers: Callers): void {
    if (callers.size === 0 && this.#waiting.get(share) === callers) this.#waiting.delete(share);
  }
}

function busy(): Unavailable {
  return new Unavailable('The database is busy.');
}

function gone(): Unavailable {
  return new Unavailable('The client has disconnected.');
}
