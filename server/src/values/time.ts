/**
 * Time, in whole microseconds, always UTC.
 *
 * A `Timestamp` is text of fixed width, `2026-11-20T15:59:20.431760Z`, so it sorts as text and travels to the wire
 * without arithmetic. For arithmetic, microseconds since 1970 fit a JavaScript number exactly until 2255.
 */
declare const timestampBrand: unique symbol;
export type Timestamp = string & { readonly [timestampBrand]: 'timestamp' };

/** The ends of the calendar, for a span without a beginning or an end. */
export const FIRST_TIME = '0001-01-01T00:00:00.000000Z' as Timestamp;
export const LAST_TIME = '9999-12-31T23:59:59.999999Z' as Timestamp;

const MICROSECONDS_PER_SECOND = 1_000_000;

/** The last printed text, without the fraction: most timestamps are in the same second as the one before. */
let lastSecond = Number.NaN;
let lastText = '';

/** The ends of the calendar: the first microsecond of the year 0001, and the last number before the year 10000. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z') * 1000;
const LATEST = Date.parse('9999-12-31T23:59:59Z') * 1000 + 999_968;

/**
 * Microseconds since 1970-01-01T00:00Z as a timestamp. A time outside the years 0001 to 9999 becomes the nearest end of
 * the calendar, because durations come from clients and from other servers and may have any length.
 */
export function timestampFromMicroseconds(given: number): Timestamp {
  const microseconds = Math.min(Math.max(given, EARLIEST), LATEST);
  const second = Math.floor(microseconds / MICROSECONDS_PER_SECOND);
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  const rest = microseconds - second * MICROSECONDS_PER_SECOND;
  return `${lastText}${String(rest + MICROSECONDS_PER_SECOND).slice(1)}Z` as Timestamp;
}

/** Microseconds since 1970-01-01T00:00Z. */
export function microsecondsOf(timestamp: Timestamp): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}

export function addSeconds(timestamp: Timestamp, seconds: number): Timestamp {
  return timestampFromMicroseconds(microsecondsOf(timestamp) + Math.round(seconds * MICROSECONDS_PER_SECOND));
}

export function addMicroseconds(timestamp: Timestamp, microseconds: number): Timestamp {
  return timestampFromMicroseconds(microsecondsOf(timestamp) + microseconds);
}

/** `to` minus `from`, in seconds; negative when `to` is earlier. */
export function secondsBetween(from: Timestamp, to: Timestamp): number {
  return (microsecondsOf(to) - microsecondsOf(from)) / MICROSECONDS_PER_SECOND;
}

/** Reads a time that `wireTimestamp` printed. */
export function timestampFromWire(text: string): Timestamp {
  return (text.length === 20 ? `${text.slice(0, 19)}.000000Z` : text) as Timestamp;
}

/** Prints a time as the reference does: without a fraction when it is zero, else with six digits. */
export function wireTimestamp(timestamp: string): string {
  return timestamp.endsWith('.000000Z') ? `${timestamp.slice(0, 19)}Z` : timestamp;
}

/** If the wall clock is behind by more than this, it was set back; a smaller gap comes from reading it late. */
const SET_BACK_MICROSECONDS = 1_000_000;

const MAX_AHEAD_MICROSECONDS = 5000;

/** The clocks of this machine, in milliseconds. */
export interface LocalTime {
  /** Milliseconds since 1970; may be set while the process runs. */
  wall(): number;
  /** Milliseconds since an arbitrary moment; advances evenly. */
  elapsed(): number;
}

export const localTime: LocalTime = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * `value`, or `last` + 1 when `value` is not later. A value a second or more behind is kept, because the clock was set
 * back.
 */
function neverBack(value: number, last: number): number {
  return value <= last && last - value < SET_BACK_MICROSECONDS ? last + 1 : value;
}

/**
 * The clock of the process: wall time with microsecond resolution, never repeating or going back in normal operation.
 * It is never behind the wall clock, so what a client does after reading its own clock on the same machine is not
 * stamped earlier; it is set back when it is ahead by more than 5 ms (the wall clock was set, or the machine slept).
 */
export class Clock {
  readonly #local: LocalTime;
  #offset: number;
  #last = 0;
  #timesSetBack = 0;

  constructor(local: LocalTime = localTime) {
    this.#local = local;
    this.#offset = local.wall() * 1000 - local.elapsed() * 1000;
  }

  now(): Timestamp {
    return timestampFromMicroseconds(this.microseconds());
  }

  microseconds(): number {
    const wall = this.#local.wall() * 1000;
    let value = Math.floor(this.#offset + this.#local.elapsed() * 1000);
    // The wall clock rounds down to milliseconds: behind it is always wrong, and ahead of it only beyond the limit.
    if (value < wall || value > wall + MAX_AHEAD_MICROSECONDS) {
      this.#offset += wall - value;
      value = wall;
    }
    return this.after(value);
  }

  /** Number of times that the clock was set back by a second or more since this process began. */
  get timesSetBack(): number {
    return this.#timesSetBack;
  }

  /** `value` in microseconds, or the moment after the last one; see `neverBack`. */
  protected after(value: number): number {
    if (this.#last - value >= SET_BACK_MICROSECONDS) this.#timesSetBack += 1;
    this.#last = neverBack(value, this.#last);
    return this.#last;
  }

  /** Milliseconds since an arbitrary moment, to measure how long work takes. */
  elapsed(): number {
    return this.#local.elapsed();
  }

  /**
   * Resolves when the clock is known to be right, as far as it can be checked. Throws Unavailable if the check fails.
   */
  async settled(): Promise<void> {}

  /** Ends the use of the clock. */
  stop(): void {}
}

export const systemClock = new Clock();
