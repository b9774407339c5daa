/** Something that may last so long and no longer. */
export interface Timed {
  /** Called once, when its time is over before it was removed. */
  expire(): void;
}

/**
 * Deadlines that all lie equally far ahead, kept by one timer: a timer for each call costs more than the rest of its
 * bookkeeping, and nearly all are removed before they fire.
 */
export class Deadlines {
  readonly #milliseconds: number;
  /** When each is over, by the clock of this process; the earliest first. */
  readonly #due = new Map<Timed, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number) {
    this.#milliseconds = seconds * 1000;
  }

  /** From now on, also for one that waits already. */
  add(timed: Timed): void {
    this.#due.delete(timed);
    this.#due.set(timed, performance.now() + this.#milliseconds);
    this.#timer ??= setTimeout(() => this.#look(), this.#milliseconds);
  }

  remove(timed: Timed): void {
    this.#due.delete(timed);
  }

  /** Forgets all of them. */
  close(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [timed, due] of this.#due) {
      if (due > now) {
        this.#timer = setTimeout(() => this.#look(), due - now);
        return;
      }
      this.#due.delete(timed);
      timed.expire();
    }
  }
}
