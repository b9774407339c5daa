/**
 * The work that one message, event or request may cause by comparing patterns and texts that users write. Each of them is
 * bounded by itself, and what all of them cost together is bounded here, so that no choice of them keeps the event loop
 * busy. A unit is a step of a match, some 10 nanoseconds. Templates, schemas and schedules draw from `request-work.ts`.
 */

import { unmatchedTexts } from '../../watching/telemetry.ts';

/** Units for one message, event or request: some 20 ms. */
export const WHOLE_WORK = 2_000_000;
/** For one rule among many that look at the same event, so that a costly one leaves enough for the others. */
export const PART_OF_WORK = WHOLE_WORK / 10;

/** The allowance is spent. The one who asked gets a refusal or no match, never a permission. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent';
}

export class WorkAllowance {
  #left: number;
  readonly #whole: WorkAllowance | undefined;

  /** With `whole`, it draws from that one too. */
  constructor(units: number = WHOLE_WORK, whole?: WorkAllowance) {
    this.#left = units;
    this.#whole = whole;
  }

  /** Never negative. */
  get left(): number {
    return Math.max(0, this.#whole ? Math.min(this.#left, this.#whole.left) : this.#left);
  }

  /** Takes what was spent already, and never throws. */
  count(units: number): void {
    this.#left -= units;
    this.#whole?.count(units);
  }

  /** Throws WorkSpent, also each time after that. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new WorkSpent('The patterns and texts of this request take too much work.');
    this.#whole?.spend(units);
  }

  /** One with at most `units` that draws from this one. */
  part(units: number = PART_OF_WORK): WorkAllowance {
    return new WorkAllowance(units, this);
  }
}

/**
 * The answer of `match`; false when it takes more than its allowance, whether the match is negated or not. The metric of
 * unmatched texts counts that.
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
