/**
 * The allowance that one message, event or request has for evaluating texts of users: templates, schemas and schedules.
 * Each of these has a limit in units of its own, and also draws from this allowance, so that many of them cost no more
 * than a few. Comparing patterns with texts has far smaller allowances of its own (`allowance.ts`).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkAllowance } from './allowance.ts';

/** Units for one message, event or request: about a second. The largest schedule or template may use half of it. */
export const EVALUATION_WORK = 100_000_000;

const current = new AsyncLocalStorage<WorkAllowance>();

/** Runs `work`, including its later promises, with an allowance of its own. */
export function asOneRequest<Result>(work: () => Result): Result {
  return current.run(new WorkAllowance(EVALUATION_WORK), work);
}

/** The allowance of the message, event or request that is being served; a new one outside of them. */
export function evaluationWork(): WorkAllowance {
  return current.getStore() ?? new WorkAllowance(EVALUATION_WORK);
}

/** A function for a queue. It draws from the allowance of the request that queued it. */
export function inOwnRequest<Given extends readonly unknown[], Result>(
  work: (...given: Given) => Result,
): (...given: Given) => Result {
  const own = current.getStore();
  return own === undefined ? work : (...given) => current.run(own, work, ...given);
}
