/** Runs the stages of a call in the order of their list. Only this file knows that a stage may be late. */
import { doing } from '../../../watching/event-loop-watch.ts';
import type { Refusal } from '../arrive/refusals.ts';
import type { Arrival, Call } from './call.ts';
import type { StageParts } from './stage-parts.ts';

/** The call was answered or forwarded, or its client has gone. */
export const ENDED = 'ended';

/** Undefined when the call may continue. */
export type Outcome = undefined | Refusal | typeof ENDED;
/** Calls one of the two later. It costs less than a promise, of which a busy gateway would make several for each call. */
type Late = (known: (outcome: Outcome) => void, failed: (error: unknown) => void) => void;
export type Stage = (call: Call, parts: StageParts) => Outcome | Promise<Outcome> | Late;

/** A stage and its kinds of arrival. */
export interface Row {
  readonly stage: Stage;
  readonly arrivals: readonly Arrival[];
}

/** Learns how a call ended. */
export interface End {
  ended(outcome: Exclude<Outcome, undefined>): void;
  failed(error: unknown): void;
}

/**
 * Runs synchronously as long as no stage is late, so that most calls are forwarded in the turn in which they arrived.
 * Never throws.
 */
export function runStages(rows: readonly Row[], call: Call, parts: StageParts, end: End, from = 0): void {
  try {
    for (let index = from; index < rows.length; index++) {
      const { stage, arrivals } = rows[index]!;
      if (!arrivals.includes(call.arrival)) continue;
      const outcome = stage(call, parts);
      if (outcome === undefined) continue;
      const goOn = (late: Outcome) => {
        if (late) return end.ended(late);
        doing('a request to an MCP server');
        call.exchange.within(() => runStages(rows, call, parts, end, index + 1));
      };
      if (typeof outcome === 'function') outcome(goOn, end.failed);
      else if (outcome instanceof Promise) outcome.then(goOn).catch(end.failed);
      else end.ended(outcome);
      return;
    }
    end.ended(ENDED);
  } catch (error) {
    end.failed(error);
  }
}

/** Continues with a value, synchronously if it is not a promise. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result,
): Result | Promise<Awaited<Result>> {
  return value instanceof Promise ? (value.then(use) as Promise<Awaited<Result>>) : use(value);
}
