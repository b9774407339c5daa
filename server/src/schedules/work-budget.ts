import { WorkSpent } from '../fairness/foreign-work/allowance.ts';
import { evaluationWork } from '../fairness/foreign-work/request-work.ts';

/** Units of the request's allowance (10 nanoseconds each) that a step and a date cost. */
const WORK_PER_STEP = 100;
const WORK_PER_DATE = 1000;

/** The schedule needs more steps than a pass may spend on it. */
export class ScheduleTooCostly extends Error {
  override readonly name = 'ScheduleTooCostly';
}

/**
 * Steps that may be spent on finding the dates of one schedule: some rules must be walked from their beginning, and some
 * never meet a date, so that a few bytes could keep the server busy for hours.
 */
export class WorkBudget {
  readonly #whole = evaluationWork();
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws ScheduleTooCostly, also when the request has spent its allowance for all evaluations. */
  spend(): void {
    if (--this.#left < 0) throw tooCostly();
    this.#draw(WORK_PER_STEP);
  }

  /** Spends on a found date: it costs more than a step, and every schedule pays for it. Throws ScheduleTooCostly. */
  spendOnDate(): void {
    this.#draw(WORK_PER_DATE);
  }

  #draw(units: number): void {
    try {
      this.#whole.spend(units);
    } catch (error) {
      throw error instanceof WorkSpent ? tooCostly() : error;
    }
  }
}

function tooCostly(): ScheduleTooCostly {
  return new ScheduleTooCostly('Finding the dates of this schedule takes too many steps.');
}
