/**
 * The allowance that one message, event or request has for evaluating texts of users: templates, schemas and schedules.
 * Each of them keeps a bound in units of its own, and draws from here too, so that many of them cost no more than a few.
 * Patterns that are compared with texts have allowances of their own (`allowance.ts`), which are far smaller.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkAllowance } from './allowance.ts';

/** Units for one message, event or request: about a second, which the largest schedule or template may take half of. */
export const EVALUATION_WORK = 100_000_000;

const current = new AsyncLocalStorage<WorkAllowance>();

/** What `work` evaluates, also later in its promises, draws from one allowance of its own. */
export function asOneRequest<Result>(work: () => Result): Result {
  return current.run(new WorkAllowance(EVALUATION_WORK), work);
}

/** The allowance of the message, event or request that is being served; elsewhere a new one. */
export function evaluationWork(): WorkAllowance {
  return current.getStore() ?? new WorkAllowance(EVALUATION_WORK);
}

/** A function for a queue to call. It draws from the allowance of the request that put it into the queue. */
export function inOwnRequest<Given extends readonly unknown[], Result>(
  work: (...given: Given) => Result,
): (...given: Given) => Result {
  const own = current.getStore();
  return own === undefined ? work : (...given) => current.run(own, work, ...given);
}
