/**
 * Everything that stays open on someone's access: sockets, streams, calls. When access may have changed, whichever
 * process changed it, or has ended by time, each is checked again, and ends if its access has gone. One small statement
 * every tenth of a second serves all of them. While nothing is open, none runs.
 */

import { findAccessVersion } from '../../database/access-version.ts';
import type { Store } from '../../database/store.ts';
import { ApiError, Unavailable } from '../../errors.ts';
import type { Clock, Timestamp } from '../../values/time.ts';
import { attempt, guarded, inBackground } from '../../watching/background.ts';

const LOOK_MILLISECONDS = 100;
/** Time between two checks of everything that is open, in case a change went unnoticed. */
const RECHECK_MILLISECONDS = 25_000;
/** Time until the next check of all after one that the database did not answer. */
const UNKNOWN_MILLISECONDS = 1000;
/** Things that are checked at once, because other requests need the database too. */
const CHECKED_TOGETHER = 100;

export interface OpenThing {
  /**
   * Reads its access again. When that has gone, ends the thing or throws the refusal. Throws Unavailable while the
   * database does not answer: then the access is unknown, and the thing stays open.
   */
  check(): Promise<unknown>;
  /** Ends it, with the error of the failed check. */
  end(error: unknown): void;
}

export class OpenThings {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #open = new Set<OpenThing>();
  #timer: NodeJS.Timeout | undefined;
  #nextRecheck = 0;
  #version: number | undefined;
  #isLooking = false;
  /** The earliest end that was noted since the last round of checks. */
  #nextEnd: Timestamp | undefined;
  /** Number of the rounds of checks. */
  #rounds = 1;

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * A key, session or token that was just read ends at this time. What is open is checked then, and each check reads
   * the access again and notes the next end, so one number is enough for all.
   */
  noteEnd(end: Timestamp | undefined): void {
    if (end !== undefined && (this.#nextEnd === undefined || end < this.#nextEnd)) this.#nextEnd = end;
  }

  /** Take it before an access is read on which something will open. */
  mark(): number {
    return this.#rounds;
  }

  /**
   * Checks `thing` from now on, and at once if there were checks since `mark`, which could not reach it. Returns a
   * function to call when it has ended.
   */
  keep(thing: OpenThing, mark = 0): () => void {
    this.#open.add(thing);
    if (this.#rounds !== mark) inBackground('a check of a new open thing', () => this.#check(thing));
    if (this.#timer === undefined) {
      this.#nextRecheck = performance.now() + RECHECK_MILLISECONDS;
      this.#timer = setInterval(
        guarded('a look for changes of access', () => this.#look()),
        LOOK_MILLISECONDS,
      ).unref();
    }
    return () => {
      if (!this.#open.delete(thing) || this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Checks some of the open things, for a change that concerns only them. Never rejects. */
  async check(things: readonly OpenThing[]): Promise<void> {
    this.#rounds += 1;
    for (let first = 0; first < things.length; first += CHECKED_TOGETHER) {
      await Promise.all(things.slice(first, first + CHECKED_TOGETHER).map((thing) => this.#check(thing)));
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const version = (await this.#store.platform.reads({ background: true }).first(findAccessVersion))?.version;
      const hasEnd = this.#nextEnd !== undefined && this.#nextEnd <= this.#clock.now();
      if (version === this.#version && !hasEnd && performance.now() < this.#nextRecheck) return;
      // Set before the checks, so that a change during them leads to another round.
      this.#version = version;
      this.#nextEnd = undefined;
      this.#nextRecheck = performance.now() + RECHECK_MILLISECONDS;
      await this.check([...this.#open]);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    } finally {
      this.#isLooking = false;
    }
  }

  #check(thing: OpenThing): Promise<void> {
    const check = async () => {
      if (!this.#open.has(thing)) return;
      try {
        await thing.check();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status < 500) thing.end(error);
        // Its access is unknown until another check.
        else this.#nextRecheck = Math.min(this.#nextRecheck, performance.now() + UNKNOWN_MILLISECONDS);
      }
    };
    return attempt('a check of an open thing', check, (error) => thing.end(error));
  }
}
