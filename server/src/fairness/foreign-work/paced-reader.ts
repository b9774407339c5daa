/**
 * Keeps other requests quick while foreign servers send much: the work on what they send, together, gets a part of the
 * event loop's time. What is beyond waits at its source.
 */
import { guarded } from '../../watching/background.ts';

/** The work on foreign pieces gets one part of so many of the time. */
const PARTS = 5;
/** Milliseconds of work that nobody waits for: an answer of usual size is never held up. */
const FREE_MILLISECONDS = 10;

/** The time at which the work so far is paid. One event loop has one. */
let paidAt = 0;

/** Reads one foreign answer. */
export class PacedReader {
  readonly #resume: () => void;
  readonly #elapsed: () => number;
  #isReady = true;
  #waiting: NodeJS.Timeout | undefined;

  /** `resume` lets the source send more. `elapsed` is a clock in milliseconds. */
  constructor(resume: () => void, elapsed: () => number = () => performance.now()) {
    this.#resume = resume;
    this.#elapsed = elapsed;
  }

  /** `take` processes a piece, and returns false when its reader requests a pause. Returns false to pause the source. */
  read(take: () => boolean): boolean {
    const began = this.#elapsed();
    this.#isReady = take();
    const ended = this.#elapsed();
    paidAt = Math.max(paidAt, began) + PARTS * (ended - began);
    const wait = paidAt - ended - PARTS * FREE_MILLISECONDS;
    if (wait > 0) {
      const goOn = guarded('the next part of a foreign answer', () => this.#goOn());
      this.#waiting ??= setTimeout(goOn, wait);
    }
    return this.#isReady && !this.#waiting;
  }

  /** The reader may take more. */
  resume(): void {
    this.#isReady = true;
    if (!this.#waiting) this.#resume();
  }

  #goOn(): void {
    this.#waiting = undefined;
    if (this.#isReady) this.#resume();
  }

  /** No piece follows. */
  end(): void {
    clearTimeout(this.#waiting);
    this.#isReady = false;
  }
}
