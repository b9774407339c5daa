/** The schedule asks for more steps than a pass may spend on it. */
export class ScheduleTooCostly extends Error {
  override readonly name = 'ScheduleTooCostly';
}

/**
 * Steps that may be spent on finding the dates of one schedule: some rules must be walked from their beginning, and some
 * never meet a date, so that a few bytes could keep the server busy for hours.
 */
export class WorkBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws ScheduleTooCostly. */
  spend(): void {
    if (--this.#left < 0) throw new ScheduleTooCostly('Finding the dates of this schedule takes too many steps.');
  }
}
