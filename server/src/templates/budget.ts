import { evaluationWork } from '../fairness/foreign-work/request-work.ts';
import { TemplateRuntimeError } from './syntax/template-error.ts';

/**
 * Rendering is one synchronous piece of work, so this module keeps its remaining budget instead of passing it through
 * every function. A unit is about a microsecond: a step of the evaluator, an item that is read, some characters of a
 * text.
 */
let remaining = Number.POSITIVE_INFINITY;

const CHARACTERS_PER_UNIT = 64;
/** Units of the request's allowance, of 10 nanoseconds, for one of these. */
const WORK_PER_UNIT = 100;

/** Throws TemplateRuntimeError when more is spent than was allowed. */
export function spend(units: number): void {
  remaining -= units;
  if (remaining < 0) throw new TemplateRuntimeError('OverflowError', 'the template takes too long');
}

export function spendOnText(length: number): void {
  spend(Math.ceil(length / CHARACTERS_PER_UNIT));
}

/** Finding one text in another may look at each character of the one at each character of the other. */
export function spendOnSearch(text: string, searched: string): void {
  spend(Math.ceil((text.length * Math.max(1, searched.length)) / (CHARACTERS_PER_UNIT * 16)));
}

/** What may still be spent; several renderings may share one. */
export interface Allowance {
  units: number;
}

/**
 * Does `work` at the cost of `allowance`, and of what the request may spend. A stack that overflows counts as too much too.
 */
export function withAllowance<Result>(allowance: Allowance, work: () => Result): Result {
  const outer = remaining;
  const whole = evaluationWork();
  const given = Math.min(allowance.units, Math.floor(whole.left / WORK_PER_UNIT));
  remaining = given;
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateRuntimeError('RecursionError', 'maximum recursion depth exceeded');
  } finally {
    const spent = given - remaining;
    allowance.units -= spent;
    whole.count(spent * WORK_PER_UNIT);
    remaining = outer;
  }
}
