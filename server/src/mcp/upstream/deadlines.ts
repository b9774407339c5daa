/** Something with a time limit. It waits for one deadline at a time. */
import { guarded, inBackground } from '../../watching/background.ts';

export abstract class Timed {
  /** Called once, when its time is over before it was removed. */
  abstract expire(): void;

  /** @internal Its place among the deadlines that it waits with; undefined when it waits for none. */
  place: Place | undefined;
}

interface Place {
  readonly timed: Timed;
  /** By the clock of this process, in milliseconds. */
  readonly due: number;
  earlier: Place | undefined;
  later: Place | undefined;
}

/**
 * Deadlines of one length, kept by one timer: a timer for each call costs more than the rest of its bookkeeping, and
 * nearly all are removed before they fire. They form a list in the order in which they are due. A removed one drops its
 * references to its neighbours: a dead one that held a living one would keep it from being collected young.
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

  /** Does nothing when it waits no longer. */
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

  /** Forgets all of them. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#first) this.remove(this.#first.timed);
  }

  readonly #lookGuarded = guarded('a look at deadlines', () => this.#look());

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
