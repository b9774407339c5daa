/** Runs the stages of a call in the order of their list. Only this file knows that a stage may return a promise. */
import { doing } from '../../../watching/event-loop-watch.ts';
import type { Refusal } from '../arrive/refusals.ts';
import type { Arrival, Call } from './call.ts';
import type { StageParts } from './stage-parts.ts';

/** The call was answered or forwarded, or its client has gone. */
export const ENDED = 'ended';

/** Undefined when the call may continue. */
export type Outcome = undefined | Refusal | typeof ENDED;
export type Stage = (call: Call, parts: StageParts) => Outcome | Promise<Outcome>;

/** A stage and its kinds of arrival. */
export interface Row {
  readonly stage: Stage;
  readonly arrivals: readonly Arrival[];
}

/**
 * Runs synchronously as long as no stage returns a promise, so that most calls are forwarded in the turn in which they
 * arrived.
 */
export function runStages(rows: readonly Row[], call: Call, parts: StageParts, from = 0): Outcome | Promise<Outcome> {
  for (let index = from; index < rows.length; index++) {
    const { stage, arrivals } = rows[index]!;
    if (!arrivals.includes(call.arrival)) continue;
    const outcome = stage(call, parts);
    if (outcome instanceof Promise) return outcome.then((late) => late ?? goOn(rows, call, parts, index + 1));
    if (outcome) return outcome;
  }
  return ENDED;
}

function goOn(rows: readonly Row[], call: Call, parts: StageParts, from: number): Outcome | Promise<Outcome> {
  doing('a request to an MCP server');
  return runStages(rows, call, parts, from);
}

/** Continues with a value, synchronously if it is not a promise. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result,
): Result | Promise<Awaited<Result>> {
  return value instanceof Promise ? (value.then(use) as Promise<Awaited<Result>>) : use(value);
}
