import type { StateType } from './states.ts';

/** The prefix that clients put before a state's message, which is removed. */
const PREAMBLE = /^(?:Flow|Task) run encountered an exception:? /;

/** The first line; empty if there is none. */
export function shortMessage(message: string | null | undefined): string {
  return firstLine(message?.replace(PREAMBLE, '') ?? '');
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

export interface InState {
  readonly state_type?: StateType | null;
  readonly state_name?: string | null;
  readonly state_message?: string | null;
  /** The cause for which it waits. */
  readonly reason?: string | null;
}

/** The cause for which it waits or did not complete; empty for a run that is well, and for one that is only scheduled. */
export function reasonText({ state_type, state_message, reason }: InState): string {
  const isWell = state_type === 'COMPLETED' || state_type === 'SCHEDULED';
  return reason ?? (isWell ? '' : shortMessage(state_message));
}
