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
  #isReady = true;
  #waiting: NodeJS.Timeout | undefined;

  /** `resume` lets the source send more. */
  constructor(resume: () => void) {
    this.#resume = resume;
  }

  /** `take` processes a piece, and returns false when its reader requests a pause. Returns false to pause the source. */
  read(take: () => boolean): boolean {
    const began = performance.now();
    this.#isReady = take();
    const ended = performance.now();
    paidAt = Math.max(paidAt, began) + PARTS * (ended - began);
    const wait = paidAt - ended - PARTS * FREE_MILLISECONDS;
    if (wait > 0)
      this.#waiting ??= setTimeout(
        guarded('the next part of a foreign answer', () => this.#goOn()),
        wait,
      );
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
