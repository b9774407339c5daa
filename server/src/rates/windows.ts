/**
 * Counts the requests of a sliding minute across all processes. A process takes permits from the database, for large
 * limits half a percent at a time, divided by the processes that live, so a counter is written at most some 200 times a
 * minute by each, and less than one percent is left unused by all together.
 */

import type { Store } from '../database/store.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { jsonTextOf } from '../values/json.ts';
import type { Clock } from '../values/time.ts';
import { lockRate, updateTaken } from './queries.ts';

const WINDOW_SECONDS = 60;
/** Divisor of the limit for the permits that are taken at once. */
const SHARES = 200;
/** Permits that were not used in this time are dropped: they count as used when they were taken. */
const KEPT_MICROSECONDS = 5_000_000;
const MILLISECONDS_PER_SECOND = 1000;
const MICROSECONDS_PER_SECOND = 1_000_000;
const WINDOW_MICROSECONDS = WINDOW_SECONDS * MICROSECONDS_PER_SECOND;
/** Cached counters; each actor may have several. */
const MAX_KEPT = 20_000;

interface RateQuestion {
  readonly serverId: string;
  readonly counter: string;
  readonly limit: number;
  /** Number of requests to count. */
  readonly amount: number;
}

/** Permits taken, by second. */
type Taken = [second: number, amount: number][];

interface Known {
  permits: number;
  /** Microseconds since 1970. */
  until: number;
  /** Time until which the counter is known to be full for any request. */
  fullUntil: number;
  waiting: number;
  taking: Promise<void> | undefined;
}

export class Windows {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #processes: () => number;
  readonly #known = new BoundedMap<string, Known>({ name: 'rates', most: MAX_KEPT });

  /** `processes` is the number of those that live. */
  constructor(store: Store, clock: Clock, processes: () => number = () => 1) {
    this.#store = store;
    this.#clock = clock;
    this.#processes = processes;
  }

  /** Returns 0 when the requests fit, else the seconds after which a retry makes sense. */
  async take(question: RateQuestion): Promise<number> {
    const { limit, amount } = question;
    if (amount > limit) return WINDOW_SECONDS;
    const known = this.#knownOf(question);
    known.waiting += amount;
    try {
      for (;;) {
        const now = this.#clock.microseconds();
        if (known.permits >= amount && now < known.until) {
          known.permits -= amount;
          return 0;
        }
        if (now < known.fullUntil && known.fullUntil <= now + WINDOW_MICROSECONDS)
          return secondsUntil(known.fullUntil, now);
        known.taking ??= this.#take(question, known).finally(() => {
          known.taking = undefined;
        });
        await known.taking;
      }
    } finally {
      known.waiting -= amount;
    }
  }

  #knownOf({ counter, serverId }: RateQuestion): Known {
    const make = () => ({ permits: 0, until: 0, fullUntil: 0, waiting: 0, taking: undefined });
    return this.#known.getOrMake(counter, make, serverId);
  }

  async #take({ serverId, counter, limit, amount }: RateQuestion, known: Known): Promise<void> {
    const micros = this.#clock.microseconds();
    const second = Math.floor(micros / MICROSECONDS_PER_SECOND);
    const wanted = Math.max(known.waiting, amount, Math.floor(limit / (SHARES * this.#processes())));
    const found = await this.#store.platform.transaction(async (tx) => {
      const full_until = (second + WINDOW_SECONDS + 1) * MILLISECONDS_PER_SECOND;
      const row = await tx.first(lockRate, { key: counter, server_id: serverId, taken: null, full_until });
      const stored = JSON.parse(row?.taken ?? '[]') as Taken;
      const taken = takenBy(second, stored);
      const free = limit - taken.reduce((sum, [, one]) => sum + one, 0);
      if (free < amount) {
        // Permits of a clock that was ahead only leave the window once they have a time of this clock.
        const isAhead = stored.some(([at]) => at > second);
        if (isAhead) await tx.run(updateTaken, { key: counter, taken: jsonTextOf(taken) });
        return { granted: 0, fullUntil: freeAt(taken, amount - free) * MICROSECONDS_PER_SECOND };
      }
      const granted = Math.min(wanted, free);
      const last = taken.at(-1);
      if (last && last[0] >= second) last[1] += granted;
      else taken.push([second, granted]);
      await tx.run(updateTaken, { key: counter, taken: jsonTextOf(taken) });
      return { granted, fullUntil: 0 };
    }, 'process');
    known.permits = found.granted;
    known.until = this.#clock.microseconds() + KEPT_MICROSECONDS;
    known.fullUntil = found.fullUntil;
  }
}

/** The permits in the window that ends with `second`. Permits of a clock that was ahead count in that second. */
function takenBy(second: number, taken: Taken): Taken {
  const within: Taken = [];
  for (const [at, amount] of taken) {
    const last = within.at(-1);
    if (last && last[0] >= Math.min(at, second)) last[1] += amount;
    else if (at > second - WINDOW_SECONDS) within.push([Math.min(at, second), amount]);
  }
  return within;
}

/** The second at which this many will have left the window. */
function freeAt(taken: Taken, missing: number): number {
  let left = missing;
  for (const [second, amount] of taken) {
    left -= amount;
    if (left <= 0) return second + WINDOW_SECONDS;
  }
  return (taken.at(-1)?.[0] ?? 0) + WINDOW_SECONDS;
}

function secondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / MICROSECONDS_PER_SECOND));
}
