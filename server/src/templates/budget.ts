import { evaluationWork } from '../fairness/foreign-work/request-work.ts';
import { TemplateRuntimeError } from './syntax/template-error.ts';

/**
 * Rendering is one synchronous piece of work, so this module keeps its remaining budget instead of passing it through
 * every function. A unit is about a microsecond: a step of the evaluator, an item, or some characters of a text.
 */
let remaining = Number.POSITIVE_INFINITY;

const CHARACTERS_PER_UNIT = 64;
/** Units of the request's allowance (10 nanoseconds each) that one unit of rendering costs. */
const WORK_PER_UNIT = 100;

/** Throws TemplateRuntimeError when the budget is spent. */
export function spend(units: number): void {
  remaining -= units;
  if (remaining < 0) throw new TemplateRuntimeError('OverflowError', 'the template takes too long');
}

export function spendOnText(length: number): void {
  spend(Math.ceil(length / CHARACTERS_PER_UNIT));
}

/** A search for one text in another may compare each character of the one with each character of the other. */
export function spendOnSearch(text: string, searched: string): void {
  spend(Math.ceil((text.length * Math.max(1, searched.length)) / (CHARACTERS_PER_UNIT * 16)));
}

/** The remaining budget; several renderings may share one. */
export interface Allowance {
  units: number;
}

/** Runs `work` at the cost of `allowance` and of the request's allowance. A stack overflow also counts as too much. */
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
