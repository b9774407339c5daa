/** The pause before an ended process is started again: none the first time, then longer with each one that ends soon. */

/** A process that served for this long is no failed start. */
const STEADY_MILLISECONDS = 5000;
const MOST_MILLISECONDS = 30_000;
const FIRST_MILLISECONDS = 1000;

export class BackOff {
  #failures = 0;

  /** The pause in milliseconds after a process that served for `servedMilliseconds`. */
  next(servedMilliseconds: number): number {
    if (servedMilliseconds >= STEADY_MILLISECONDS) this.#failures = 0;
    const pause = this.#failures === 0 ? 0 : FIRST_MILLISECONDS * 2 ** (this.#failures - 1);
    this.#failures++;
    return Math.min(pause, MOST_MILLISECONDS);
  }
}
