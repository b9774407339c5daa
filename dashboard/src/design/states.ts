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

/** The names that clients give to states, below their types, in people's words. Other names are shown as they are. */
const words: readonly (readonly [name: string, kind: StateKind, words: string])[] = [
  ['TimedOut', 'FAILED', 'Timed out'],
  ['AwaitingRetry', 'SCHEDULED', 'Waits to retry'],
  ['AwaitingConcurrencySlot', 'SCHEDULED', 'Waits for slot'],
  ['Resuming', 'SCHEDULED', 'Resuming'],
  ['Retrying', 'RUNNING', 'Retrying'],
  ['Suspended', 'PAUSED', 'Suspended'],
  ['Cached', 'COMPLETED', 'Cached'],
  ['RolledBack', 'COMPLETED', 'Rolled back'],
  ['Skipped', 'COMPLETED', 'Skipped'],
  ['NotReady', 'PENDING', 'Not ready'],
  ['InfrastructurePending', 'PENDING', 'Starting up'],
];

/** `Timed out` for TimedOut. Any other name is the words of its author. */
export function stateWords(kind: StateKind, name: string | null | undefined): string {
  return words.find(([one]) => one === name)?.[2] ?? (name || titleOf(kind));
}

/** The names below a type that many runs have. */
export function namesOf(kind: StateKind): readonly (readonly [name: string, words: string])[] {
  return words.filter(([, type]) => type === kind).map(([name, , text]) => [name, text]);
}

/** The kind of a state that is written in an address or in a filter: by its type, or by a name in any case. */
export function kindOfWord(word: string): StateKind | undefined {
  const wanted = word.toLowerCase();
  return (
    stateKinds.find((kind) => kind.toLowerCase() === wanted) ??
    words.find(([name, , text]) => name.toLowerCase() === wanted || text.toLowerCase() === wanted)?.[1]
  );
}

/** A word for a state as the server takes it: a type in small letters, or the exact name. Unknown words stay. */
export function stateWord(word: string): string {
  const wanted = word.toLowerCase();
  if (stateKinds.some((kind) => kind.toLowerCase() === wanted)) return wanted;
  return words.find(([name, , text]) => [name.toLowerCase(), text.toLowerCase()].includes(wanted))?.[0] ?? word;
}

/** The words for a value of a filter: `Timed out` for TimedOut, `Failed` for failed. */
export function titleOfWord(word: string): string {
  const kind = stateKinds.find((one) => one.toLowerCase() === word.toLowerCase());
  return kind ? titleOf(kind) : stateWords('PENDING', stateWord(word));
}

/** Name of the colour tokens: `--failed`, `--failed-text`. */
export function tokenOf(kind: StateKind): string {
  return kind.toLowerCase();
}

export function isEnded(type: StateType | null | undefined): boolean {
  return type === 'COMPLETED' || type === 'FAILED' || type === 'CRASHED' || type === 'CANCELLED';
}
