/** Titles of the states of runs, in the order in which lists and charts show them. */
import type { components } from '../api/schema.gen.ts';

export type StateType = components['schemas']['StateType'];

/** A state in the interface: the types, and Late, which is a name of Scheduled. */
export type StateKind = StateType | 'LATE';

export const stateKinds: readonly StateKind[] = [
  'FAILED',
  'CRASHED',
  'LATE',
  'CANCELLING',
  'PAUSED',
  'RUNNING',
  'PENDING',
  'SCHEDULED',
  'CANCELLED',
  'COMPLETED',
];

export function stateKind(type: StateType | null | undefined, name: string | null | undefined): StateKind {
  if (type === 'SCHEDULED' && name === 'Late') return 'LATE';
  return type ?? 'PENDING';
}

const titles: Readonly<Record<StateKind, string>> = {
  SCHEDULED: 'Scheduled',
  LATE: 'Late',
  PENDING: 'Pending',
  RUNNING: 'Running',
  PAUSED: 'Paused',
  CANCELLING: 'Cancelling',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
  CRASHED: 'Crashed',
};

export function titleOf(kind: StateKind): string {
  return titles[kind];
}

/** Name of the colour tokens: `--failed`, `--failed-text`. */
export function tokenOf(kind: StateKind): string {
  return kind.toLowerCase();
}

export function isEnded(type: StateType | null | undefined): boolean {
  return type === 'COMPLETED' || type === 'FAILED' || type === 'CRASHED' || type === 'CANCELLED';
}
