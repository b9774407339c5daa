/**
 * Keeps other requests quick while foreign servers send much: the work on what they send, together, gets a part of the
 * event loop's time. What is beyond waits at its source, if that source has sent much itself: the answer of another one is
 * never held up for it.
 */
import { guarded } from '../../watching/background.ts';

/** The work on foreign pieces gets one part of so many of the time. */
const PARTS = 5;
/** The work on the pieces of one source that never waits gets one part of so many. */
const OWN_PARTS = 100;
/** Milliseconds of work that nobody waits for, of all sources and of one: an answer of usual size is never held up. */
const FREE_MILLISECONDS = 10;
/** A wait is measured in elapsed time, which also passes while the machine does something else. */
const MOST_WAIT_MILLISECONDS = 1000;

/** The time at which the work so far is paid. One event loop has one. */
let paidAt = 0;

/** A foreign server or program: all of its answers share one account. */
export class ForeignSource {
  /** The time at which the work on its pieces is paid. */
  paidAt = 0;
}

/** Reads one foreign answer. */
export class PacedReader {
  readonly #source: ForeignSource;
  readonly #resume: () => void;
  readonly #elapsed: () => number;
  #isReady = true;
  #waiting: NodeJS.Timeout | undefined;

  /** `resume` lets the source send more. `elapsed` is a clock in milliseconds. */
  constructor(source: ForeignSource, resume: () => void, elapsed: () => number = () => performance.now()) {
    this.#source = source;
    this.#resume = resume;
    this.#elapsed = elapsed;
  }

  /** `take` processes a piece, and returns false when its reader requests a pause. Returns false to pause the source. */
  read(take: () => boolean): boolean {
    const began = this.#elapsed();
    this.#isReady = take();
    const ended = this.#elapsed();
    paidAt = Math.max(paidAt, began) + PARTS * (ended - began);
    const source = this.#source;
    source.paidAt = Math.max(source.paidAt, began) + OWN_PARTS * (ended - began);
    const sendsMuch = source.paidAt - ended > OWN_PARTS * FREE_MILLISECONDS;
    const wait = Math.min(paidAt - ended - PARTS * FREE_MILLISECONDS, MOST_WAIT_MILLISECONDS);
    if (sendsMuch && wait > 0) {
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
