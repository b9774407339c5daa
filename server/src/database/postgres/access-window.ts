/**
 * The look of PostgreSQL, where a look is a query over the network. Facts about access hold for a window of time after
 * the last look was sent. A change of access is answered only after that window has passed since its commit. So a
 * request that begins after the answer sees the change, on every replica:
 *
 * The commit is at c, and its answer at a ≥ c + window. A request decides at d ≥ a. It uses a kept fact only after a look
 * that was sent at s ≥ d − window ≥ c, and that look has seen the change. A read that began before the look ended is
 * dropped by its epoch.
 *
 * Each process measures with its own monotonic clock. A process that was frozen or cut off has an old look and asks, so
 * nothing else must hold: no notification, no registry, no common clock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { inBackground } from '../../watching/background.ts';
import type { Look } from '../kept-facts.ts';

/** A database that answers later is asked for each request. */
export const WINDOW_MILLISECONDS = 40;
/** A timer of Node may fire up to a millisecond early. */
const ROUNDING_MILLISECONDS = 1;
/** The notice of the trigger `count_access_change` in a transaction that changes access. */
export const ACCESS_CHANGED = 'signalbox: access has changed';

export class AccessWindow implements Look {
  readonly #readVersion: () => Promise<number | undefined>;
  readonly #now: () => number;
  #version: number | undefined;
  /** The time at which the last answered look was sent. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  epoch = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(readVersion: () => Promise<number | undefined>, now: () => number = () => performance.now()) {
    this.#readVersion = readVersion;
    this.#now = now;
  }

  /** Also sends the next look, if this one has passed half of its window. Without requests, none is sent. */
  isFresh(): boolean {
    const age = this.#now() - this.#sentAt;
    if (age > WINDOW_MILLISECONDS / 2 && !this.#isLooking)
      inBackground('a look for changes of access', () => this.#look());
    return age <= WINDOW_MILLISECONDS;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const sentAt = this.#now();
    try {
      const version = await this.#readVersion();
      if (version !== this.#version) {
        this.#version = version;
        this.epoch += 1;
      }
      this.#sentAt = sentAt;
    } catch {
      // Requests read their access themselves, and tell what is wrong with the database.
    } finally {
      this.#isLooking = false;
    }
  }
}

/** Resolves when no process uses facts from before a commit that was acknowledged at `since`. */
export async function windowAfter(since: number): Promise<void> {
  const end = since + WINDOW_MILLISECONDS + ROUNDING_MILLISECONDS;
  for (let left = end - performance.now(); left > 0; left = end - performance.now()) await delay(left);
}
