import type { State } from '../rows/state.ts';
import type { SetStateStatus } from '../rows/state-schema.ts';
import { detailsText } from '../rows/stored-state.ts';
import type { Outcome } from './orchestrate.ts';

/** The result of a proposal, in the shape of the answer, and whether a state was written. */
export interface Orchestrated {
  readonly wroteState: boolean;
  readonly body: {
    readonly state: ReturnType<typeof wire> | null;
    readonly status: SetStateStatus;
    readonly details: object;
  };
}

/** `current` is the current state of the run. */
export function resultOf(outcome: Outcome<never> | Outcome<unknown>, current: State | undefined): Orchestrated {
  return {
    wroteState: outcome.state !== undefined,
    body: { state: current ? wire(current) : null, status: outcome.status, details: detailsOf(outcome) },
  };
}

/** A state in the shape of an answer. */
export function wire(state: State) {
  return { ...state, state_details: detailsText(state.state_details) };
}

function detailsOf({ status, reason, delaySeconds }: Outcome<unknown>): object {
  switch (status) {
    case 'ACCEPT':
      return { type: 'accept_details' };
    case 'REJECT':
      return { type: 'reject_details', reason };
    case 'WAIT':
      return { type: 'wait_details', delay_seconds: delaySeconds, reason };
    case 'ABORT':
      return { type: 'abort_details', reason };
  }
}
