/** Something with a time limit. It waits for one deadline at a time. */
import { guarded, inBackground } from '../../watching/background.ts';

export abstract class Timed {
  /** Called once, if its time is over before it was removed. */
  abstract expire(): void;

  /** @internal Its place in the list of deadlines; undefined when it has no deadline. */
  place: Place | undefined;
}

interface Place {
  readonly timed: Timed;
  /** Time by the clock of this process, in milliseconds. */
  readonly due: number;
  earlier: Place | undefined;
  later: Place | undefined;
}

/**
 * Deadlines of one length, kept by one timer: a timer for each call costs more than the rest of its bookkeeping, and
 * nearly all deadlines are removed before they expire. They form a list ordered by due time. A removed one drops its
 * references to its neighbours, because a dead entry that refers to a live one would prevent its early collection.
 */
export class Deadlines {
  readonly #milliseconds: number;
  #first: Place | undefined;
  #last: Place | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number) {
    this.#milliseconds = seconds * 1000;
  }

  add(timed: Timed): void {
    const place: Place = { timed, due: performance.now() + this.#milliseconds, earlier: this.#last, later: undefined };
    if (this.#last) this.#last.later = place;
    else this.#first = place;
    this.#last = place;
    timed.place = place;
    this.#timer ??= setTimeout(this.#lookGuarded, this.#milliseconds);
  }

  /** Has no effect when it no longer waits. */
  remove(timed: Timed): void {
    const { place } = timed;
    if (!place) return;
    timed.place = undefined;
    const { earlier, later } = place;
    if (earlier) earlier.later = later;
    else this.#first = later;
    if (later) later.earlier = earlier;
    else this.#last = earlier;
    place.earlier = undefined;
    place.later = undefined;
  }

  /** Removes all deadlines. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#first) this.remove(this.#first.timed);
  }

  readonly #lookGuarded = guarded('a check of deadlines', () => this.#look());

  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#first && this.#first.due <= now) {
      const { timed } = this.#first;
      this.remove(timed);
      inBackground('the deadline of a request', () => timed.expire());
    }
    if (this.#first) this.#timer = setTimeout(this.#lookGuarded, this.#first.due - now);
  }
}
