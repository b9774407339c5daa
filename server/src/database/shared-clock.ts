/**
 * One clock for all replicas: the database's. Their own clocks may be wrong by hours, and a lease that one of them
 * grants must not have expired for another.
 */
import { Unavailable } from '../errors.ts';
import { Clock, type LocalTime, localTime } from '../values/time.ts';
import type { Store } from './store.ts';

const EVERY_MILLISECONDS = 5000;
/** Number of queries to the database's clock; the fastest answer counts. */
const QUESTIONS = 3;
/** An answer that takes longer is too inaccurate. */
const LATE_MILLISECONDS = 1000;
/** If clocks of this machine drift apart by this much, the machine was suspended or a clock was set. */
const APART_MILLISECONDS = 1000;

/** The clock for all work on `store`: the database's if several processes use it, else the process's own. */
export async function openClock(store: Store, local: LocalTime = localTime): Promise<Clock> {
  if (!store.sharedTime) return new Clock(local);
  const clock = new SharedClock(() => store.sharedTime?.() ?? Promise.reject(new Unavailable('No clock.')), local);
  await clock.measure();
  return clock;
}

/**
 * Advances evenly from the database's last answer and queries it again every few seconds. It is ahead of the database
 * by at most the time that a query takes to arrive, and never behind, so an action after reading the same clock is not
 * stamped earlier.
 */
export class SharedClock extends Clock {
  /** Returns microseconds since 1970 by the database. */
  readonly #ask: () => Promise<number>;
  readonly #local: LocalTime;
  readonly #timer: NodeJS.Timeout;
  /** Difference from the elapsed time of this process, in microseconds. */
  #offset = Number.NaN;
  /** Difference between this machine's wall clock and its elapsed time at the last query, in milliseconds. */
  #wallOffset = Number.NaN;

  constructor(ask: () => Promise<number>, local: LocalTime = localTime) {
    super(local);
    this.#ask = ask;
    this.#local = local;
    this.#timer = setInterval(() => this.measure().catch(() => {}), EVERY_MILLISECONDS);
    this.#timer.unref();
  }

  override microseconds(): number {
    if (Number.isNaN(this.#offset)) throw new Unavailable('The time of the database is not known yet.');
    return this.after(Math.floor(this.#local.elapsed() * 1000 + this.#offset));
  }

  override async settled(): Promise<void> {
    const apart = this.#local.wall() - this.#local.elapsed() - this.#wallOffset;
    if (!(Math.abs(apart) < APART_MILLISECONDS)) await this.measure();
  }

  override stop(): void {
    clearInterval(this.#timer);
  }

  /** Throws Unavailable when the database does not answer, or too late; the clock then continues as before. */
  async measure(): Promise<void> {
    let soonest = LATE_MILLISECONDS;
    let offset: number | undefined;
    for (let question = 0; question < QUESTIONS; question++) {
      const asked = this.#local.elapsed();
      const told = await this.#ask();
      const waited = this.#local.elapsed() - asked;
      if (waited >= soonest) continue;
      soonest = waited;
      offset = told - asked * 1000;
    }
    if (offset === undefined) throw new Unavailable('The database answered too late to read its time.');
    this.#offset = offset;
    this.#wallOffset = this.#local.wall() - this.#local.elapsed();
  }
}
