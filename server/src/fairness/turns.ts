/**
 * Splits long work on a request into pieces. Each turn of the event loop runs one piece of one caller, so other
 * requests wait for one piece only, however many callers send large requests at once.
 */
const waiting: (() => void)[] = [];

/** Resolves in a later turn, after earlier callers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}

/** A longer turn delays others noticeably. */
export const TURN_MILLISECONDS = 10;

/** Long work of one caller; its waits are not counted. */
export class MeasuredWork {
  readonly #elapsed: () => number;
  #finished = 0;
  #began: number;

  /** `elapsed` is a clock in milliseconds. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
    this.#began = elapsed();
  }

  get milliseconds(): number {
    return this.#finished + this.#inTurn;
  }

  get #inTurn(): number {
    return this.#elapsed() - this.#began;
  }

  /** Lets others run when the turn has lasted long enough. */
  async pause(): Promise<void> {
    if (this.#inTurn >= TURN_MILLISECONDS) await this.outside(nextTurn());
  }

  /** Waits for a promise that is not part of the work. */
  async outside<Result>(waited: Promise<Result>): Promise<Result> {
    this.#finished += this.#inTurn;
    try {
      return await waited;
    } finally {
      this.#began = this.#elapsed();
    }
  }
}
