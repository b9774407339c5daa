/**
 * Lends what this process has little of: connections, threads, memory, places for requests. Each loan counts for shares,
 * from the outermost (a tenant) to the innermost (one of its callers), so that none of them holds everything. A gate
 * may let requests wait: a returned place goes to the share that holds the fewest, and within it callers take turns.
 */
import { Unavailable } from '../errors.ts';
import { guarded } from '../watching/background.ts';

/** Gives back what was lent. Later calls do nothing. */
export type Release = () => void;

/** The bound of each share of one level. Shares of further levels only take turns. */
interface Level {
  /** Most that one share holds. */
  readonly most?: number;
  /**
   * A share may take more while it holds less than this many times what is free: with the factor 2, the first share that
   * requests everything gets two thirds, the next two thirds of the rest, and so on.
   */
  readonly timesFree?: number;
}

/** A share that requests everything gets two thirds. */
export const TWO_THIRDS: Level = { timesFree: 2 };

interface Waits {
  /** Longest wait. None without it. */
  readonly milliseconds?: number;
  /** Most requests that wait. The next one is refused at once. */
  readonly most?: number;
  /** Like `most`, for requests that are not `first`. */
  readonly mostNotFirst?: number;
  /** Like `most`, for one outermost share. */
  readonly mostOfOne?: number;
  /** Most refusals of waits that were too long, because clients that retry at once take the processor from others. */
  readonly refusalsEachMillisecond?: number;
}

interface GateOptions {
  /** Its line in `docs/limits.md`. */
  readonly name: string;
  /** All that there is to lend, in places or bytes. */
  readonly places: number;
  /** By level, from the outermost. */
  readonly levels?: readonly Level[];
  /** Shares without a bound, for what every request needs. */
  readonly exempt?: readonly string[];
  readonly waits?: Waits;
  /** The sentence of a refusal. */
  readonly busy?: string;
  /** A clock in milliseconds. */
  readonly elapsed?: () => number;
}

interface Wish {
  /** Goes before those who are not first. */
  readonly first?: boolean;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly order: number;
  readonly shares: readonly string[];
  /** Time by the clock from which it may be refused. */
  readonly due: number;
  grant(release: Release): void;
  refuse(error: Unavailable): void;
}

/** Pause between two looks for waits that were too long, when more are due than may be refused at once. */
const TICK_MILLISECONDS = 25;

export class Gate {
  readonly #options: GateOptions;
  readonly #exempt: ReadonlySet<string>;
  /** The amounts that the shares of each level hold, for the levels with a bound. */
  readonly #held: readonly Map<string, number>[];
  readonly #elapsed: () => number;
  /** All waiting requests, the oldest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #first = new Queue();
  readonly #others = new Queue();
  #free: number;
  #taken = 0;
  #order = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Time by the clock of the last refusals. */
  #refusedAt = 0;
  #isTrading = false;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#free = options.places;
    this.#held = (options.levels ?? []).map(() => new Map());
    this.#exempt = new Set(options.exempt);
    this.#elapsed = options.elapsed ?? (() => performance.now());
  }

  get isFull(): boolean {
    return this.#free <= 0;
  }

  get taken(): number {
    return this.#taken;
  }

  /** The amount that the share holds; nothing for an exempt one. */
  heldBy(share: string, level = 0): number {
    return this.#exempt.has(share) ? 0 : (this.#held[level]?.get(share) ?? 0);
  }

  /** The outermost shares that may take nothing more. */
  fullShares(): string[] {
    return [...(this.#held[0]?.keys() ?? [])].filter((share) => this.refusalOf([share]) === 0);
  }

  /** The innermost level whose bound `amount` more would pass; `all` when that much is not free; undefined if it fits. */
  refusalOf(shares: readonly string[], amount = 1): number | 'all' | undefined {
    if (amount > this.#free) return 'all';
    for (let level = shares.length - 1; level >= 0; level -= 1) {
      const { most = Number.POSITIVE_INFINITY, timesFree } = this.#options.levels?.[level] ?? {};
      const held = this.heldBy(shares[level]!, level);
      if (held + amount > most || (timesFree !== undefined && held >= timesFree * this.#free)) return level;
    }
    return undefined;
  }

  /** Takes `amount` for all of `shares`; if it does not fit, takes nothing and returns undefined. */
  take(shares: readonly string[], amount = 1): Release | undefined {
    return this.refusalOf(shares, amount) === undefined ? this.takeAnyway(shares, amount) : undefined;
  }

  /** Takes `amount` without asking whether it fits. */
  takeAnyway(shares: readonly string[], amount = 1): Release {
    this.#count(shares, amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#count(shares, -amount);
      this.#grantNext();
    };
  }

  /** Gives back `held` and takes a place for `shares` before anybody who waits; undefined if it does not fit. */
  trade(held: Release, shares: readonly string[]): Release | undefined {
    this.#isTrading = true;
    held();
    this.#isTrading = false;
    const taken = this.take(shares);
    // Some who waited for the bound of the old shares may have room now.
    this.#grantNext();
    return taken;
  }

  /**
   * Resolves with a place for `shares`. Rejects with Unavailable when the wait is too long, when too many wait, or when
   * its signal aborts.
   */
  async acquire(shares: readonly string[], { first = false, signal }: Wish = {}): Promise<Release> {
    if (signal?.aborted) throw gone();
    return this.take(shares) ?? this.#wait(shares, first, signal);
  }

  /** Refuses those who wait, and later ones that would have to. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of [...this.#waiting]) waiting.refuse(this.#busy());
  }

  #count(shares: readonly string[], amount: number): void {
    this.#free -= amount;
    this.#taken += amount;
    const levels = Math.min(this.#held.length, shares.length);
    for (let level = 0; level < levels; level += 1) {
      const counts = this.#held[level]!;
      const share = shares[level]!;
      const held = (counts.get(share) ?? 0) + amount;
      if (held > 0) counts.set(share, held);
      else counts.delete(share);
    }
  }

  #wait(shares: readonly string[], isFirst: boolean, signal: AbortSignal | undefined): Promise<Release> {
    const queue = isFirst ? this.#first : this.#others;
    if (!this.#mayWait(shares, isFirst, queue)) return Promise.reject(this.#busy());
    return new Promise<Release>((resolve, reject) => {
      const leave = (isServed: boolean) => {
        this.#waiting.delete(waiting);
        queue.remove(waiting, isServed);
        signal?.removeEventListener('abort', abort);
        if (this.#waiting.size > 0) return;
        clearTimeout(this.#timer);
        this.#timer = undefined;
      };
      const waiting: Waiting = {
        order: this.#order++,
        shares,
        due: this.#elapsed() + (this.#options.waits?.milliseconds ?? Number.POSITIVE_INFINITY),
        grant: (release) => {
          leave(true);
          resolve(release);
        },
        refuse: (error) => {
          leave(false);
          reject(error);
        },
      };
      const abort = () => waiting.refuse(gone());
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
      queue.add(waiting);
      if (this.#timer === undefined) this.#lookAt(waiting.due);
    });
  }

  #mayWait(shares: readonly string[], isFirst: boolean, queue: Queue): boolean {
    const { most = Number.POSITIVE_INFINITY, mostNotFirst = most, mostOfOne } = this.#options.waits ?? {};
    if (this.#isClosed || this.#waiting.size >= most) return false;
    if (!isFirst && this.#others.size >= mostNotFirst) return false;
    if (mostOfOne === undefined || queue.sizeOf(shares) < mostOfOne) return true;
    return queue.makeRoomFor(shares, this.#busy());
  }

  /** Lends what is free to those who wait and whose shares may take it. */
  #grantNext(): void {
    if (this.#isTrading || this.#waiting.size === 0) return;
    const fits = (shares: readonly string[]) => this.refusalOf(shares) === undefined;
    const heldBy = (share: string) => this.heldBy(share);
    while (!this.isFull) {
      const next = this.#first.next(fits, heldBy) ?? this.#others.next(fits, heldBy);
      if (!next) return;
      next.grant(this.takeAnyway(next.shares));
    }
  }

  #lookAt(due: number): void {
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(
      guarded('a look for waits that are too long', () => this.#look()),
      Math.max(0, due - this.#elapsed()),
    );
  }

  /** Refuses those who have waited too long, as many as it may. */
  #look(): void {
    this.#timer = undefined;
    const now = this.#elapsed();
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const { refusalsEachMillisecond: rate = Number.POSITIVE_INFINITY } = this.#options.waits ?? {};
    let refusals = Math.ceil((now - Math.max(this.#refusedAt, oldest.due - TICK_MILLISECONDS)) * rate);
    this.#refusedAt = now;
    for (const waiting of this.#waiting) {
      if (waiting.due > now || refusals <= 0) {
        this.#lookAt(Math.max(waiting.due, now + (rate === Number.POSITIVE_INFINITY ? 0 : TICK_MILLISECONDS)));
        return;
      }
      refusals -= 1;
      waiting.refuse(this.#busy());
    }
  }

  #busy(): Unavailable {
    return new Unavailable(this.#options.busy ?? 'The server is busy.');
  }
}

/** Waiting requests by their outermost and innermost share. The next in turn comes first. */
class Queue {
  readonly #shares = new Map<string, Map<string, Waiting[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiting: Waiting): void {
    const [outer, inner] = endsOf(waiting.shares);
    const callers = this.#shares.get(outer) ?? new Map<string, Waiting[]>();
    this.#shares.set(outer, callers);
    const queue = callers.get(inner);
    if (queue) queue.push(waiting);
    else callers.set(inner, [waiting]);
    this.#size += 1;
  }

  /** If it was served, the turn passes to the next caller and the next share. */
  remove(waiting: Waiting, isServed: boolean): void {
    const [outer, inner] = endsOf(waiting.shares);
    const callers = this.#shares.get(outer);
    const queue = callers?.get(inner);
    const index = queue?.indexOf(waiting) ?? -1;
    if (!callers || !queue || index < 0) return;
    queue.splice(index, 1);
    this.#size -= 1;
    if (isServed || queue.length === 0) callers.delete(inner);
    if (queue.length > 0) callers.set(inner, queue);
    if (isServed || callers.size === 0) this.#shares.delete(outer);
    if (callers.size > 0) this.#shares.set(outer, callers);
  }

  /**
   * The next of the share that holds the fewest, among those that may take a place; among equals, of the share that has
   * waited longest.
   */
  next(fits: (shares: readonly string[]) => boolean, heldBy: (share: string) => number): Waiting | undefined {
    let best: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [outer, callers] of this.#shares) {
      const held = heldBy(outer);
      if (held > fewest || (outer !== NONE && !fits([outer]))) continue;
      const next = nextOf(callers, fits);
      if (!next || (held === fewest && best && next.order > best.order)) continue;
      best = next;
      fewest = held;
      // The shares come in the order of their turns.
      if (held === 0) break;
    }
    return best;
  }

  /** Number of those who wait for the outermost share. */
  sizeOf(shares: readonly string[]): number {
    let size = 0;
    for (const queue of this.#shares.get(endsOf(shares)[0])?.values() ?? []) size += queue.length;
    return size;
  }

  /**
   * Refuses the last request of the caller with the most in this share, to make room for the caller in `shares`. False
   * if it is that caller.
   */
  makeRoomFor(shares: readonly string[], error: Unavailable): boolean {
    const [outer, inner] = endsOf(shares);
    const callers = this.#shares.get(outer);
    let most = callers?.get(inner)?.length ?? 0;
    let last: Waiting | undefined;
    for (const queue of callers?.values() ?? []) {
      if (queue.length <= most + 1) continue;
      most = queue.length - 1;
      last = queue.at(-1);
    }
    last?.refuse(error);
    return last !== undefined;
  }
}

/** The next of the callers in turn that may take a place. */
function nextOf(
  callers: ReadonlyMap<string, readonly Waiting[]>,
  fits: (shares: readonly string[]) => boolean,
): Waiting | undefined {
  for (const [waiting] of callers.values()) if (waiting && fits(waiting.shares)) return waiting;
  return undefined;
}

/** The share of those who have none. */
const NONE = '';

function endsOf(shares: readonly string[]): [outer: string, inner: string] {
  return [shares[0] ?? NONE, shares.at(-1) ?? NONE];
}

function gone(): Unavailable {
  return new Unavailable('The client has disconnected.');
}
