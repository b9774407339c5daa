/**
 * Limits the work that one message, event or request may cause by comparing patterns and texts of users. Each
 * comparison has its own limit, and this limits their sum, so that no combination of them keeps the event loop busy. A
 * unit is a step of a match, some 10 nanoseconds. Templates, schemas and schedules draw from `request-work.ts`.
 */

import { unmatchedTexts } from '../../watching/telemetry.ts';

/** Units for one message, event or request: some 20 ms. */
export const WHOLE_WORK = 2_000_000;
/** Units for one rule among many that evaluate the same event, so that a costly one leaves enough for the others. */
export const PART_OF_WORK = WHOLE_WORK / 10;

/** The allowance is spent. The caller gets a refusal or no match, never a permission. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent';
}

export class WorkAllowance {
  #left: number;
  readonly #whole: WorkAllowance | undefined;

  /** `whole` is an allowance from which this one also draws. */
  constructor(units: number = WHOLE_WORK, whole?: WorkAllowance) {
    this.#left = units;
    this.#whole = whole;
  }

  /** Never negative. */
  get left(): number {
    return Math.max(0, this.#whole ? Math.min(this.#left, this.#whole.left) : this.#left);
  }

  /** Counts work that is already done, and never throws. */
  count(units: number): void {
    this.#left -= units;
    this.#whole?.count(units);
  }

  /** Throws WorkSpent, also at every later call. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new WorkSpent('The patterns and texts of this request take too much work.');
    this.#whole?.spend(units);
  }

  /** An allowance of at most `units` that also draws from this one. */
  part(units: number = PART_OF_WORK): WorkAllowance {
    return new WorkAllowance(units, this);
  }
}

/**
 * The result of `match`; false when it takes more than its allowance, whether the match is negated or not. The metric
 * of unmatched texts counts these cases.
 */
export function matchesWithin(match: () => boolean): boolean {
  try {
    return match();
  } catch (error) {
    if (!(error instanceof WorkSpent)) throw error;
    unmatchedTexts.note({ cause: 'work' });
    return false;
  }
}
