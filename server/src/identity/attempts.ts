import { type Clock, secondsBetween, type Timestamp } from '../time.ts';

/** Failures before waiting begins, and how the wait grows: 1, 2, 4 … up to this many seconds. */
const FREE_FAILURES = 5;
const LONGEST_WAIT_SECONDS = 300;
const FORGET_AFTER_SECONDS = 3600;
const MAX_REMEMBERED = 10_000;

interface Failures {
  readonly count: number;
  readonly last: Timestamp;
}

/**
 * Slows guessing down. It counts the failures of one address at one account: a stranger who guesses waits, and the owner
 * of the account, who comes from elsewhere, does not.
 */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds until the next attempt is looked at; 0 when it may come now. */
  waitSeconds(address: string, email: string): number {
    const failures = this.#failures.get(keyOf(address, email));
    if (!failures || failures.count < FREE_FAILURES) return 0;
    const wait = Math.min(2 ** (failures.count - FREE_FAILURES), LONGEST_WAIT_SECONDS);
    return Math.max(0, Math.ceil(wait - secondsBetween(failures.last, this.#clock.now())));
  }

  failed(address: string, email: string): void {
    const key = keyOf(address, email);
    const now = this.#clock.now();
    const before = this.#failures.get(key);
    const isFresh = before && secondsBetween(before.last, now) < FORGET_AFTER_SECONDS;
    this.#failures.delete(key);
    this.#failures.set(key, { count: (isFresh ? before.count : 0) + 1, last: now });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(address: string, email: string): void {
    this.#failures.delete(keyOf(address, email));
  }
}

function keyOf(address: string, email: string): string {
  return `${address} ${email}`;
}
