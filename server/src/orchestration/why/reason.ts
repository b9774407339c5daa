/** The parts of all reasons. */
import type { Timestamp } from '../../values/time.ts';
import type { FlowRunReason, FlowRunReasonCode, SlotHolder } from './why-schema.ts';

const NAMES_IN_A_SENTENCE = 3;

type Details = Partial<Omit<FlowRunReason, 'code' | 'message'>>;

/** A reason blocks unless it says otherwise. */
export function reason(code: FlowRunReasonCode, message: string, details: Details = {}): FlowRunReason {
  return {
    code,
    message,
    blocks: true,
    since: null,
    until: null,
    resource: null,
    limit: null,
    active_slots: null,
    holders: null,
    ...details,
  };
}

export const at = (time: Timestamp) => `${time.slice(0, 19)}Z`;

/** For example, `2 of 2 slots are taken, by run "a" and run "b".` */
export function slotsSentence(active: number, limit: number, holders: readonly SlotHolder[]): string {
  const taken = `${active} of ${limit} ${limit === 1 ? 'slot is' : 'slots are'} taken`;
  const names = holders.flatMap(({ type, name }) => (name === null ? [] : [`${type.replace('_', ' ')} "${name}"`]));
  if (names.length === 0) return `${taken}.`;
  const more = Math.max(active, holders.length) - Math.min(names.length, NAMES_IN_A_SENTENCE);
  const shown = names.slice(0, NAMES_IN_A_SENTENCE).join(', ');
  return `${taken}, by ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
