/** Says what an act has done, in a corner of the page, for those who see it and for those who hear it. */
import type { ReactNode } from 'react';

export interface Notice {
  readonly text: string;
  /** A problem stays until it is dismissed. Other notices go by themselves. */
  readonly isProblem?: boolean;
  /** Stands beside the text: a link to the result, the progress. */
  readonly detail?: ReactNode;
  /** The notice stays until this ends. */
  readonly until?: Promise<unknown>;
  readonly undo?: Undo;
}

export interface Undo {
  /** Takes the act back, and resolves to a sentence that says so. Throws if it is too late. */
  readonly act: () => Promise<string>;
  /** Milliseconds for which it can be taken back; as long as the notice is shown, when absent. */
  readonly within?: number;
}

/** Notices that came before they could be shown. */
const waiting: Notice[] = [];
let deliver = () => {};

export function notify(text: string, more: Omit<Notice, 'text'> = {}): void {
  waiting.push({ text, ...more });
  deliver();
}

export function notifyProblem(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), { isProblem: true });
}

/** Hands over the notices that wait, and each later one. Returns a function that ends it. */
export function takeNotices(take: (notice: Notice) => void): () => void {
  deliver = () => {
    for (const notice of waiting.splice(0)) take(notice);
  };
  deliver();
  return () => {
    deliver = () => {};
  };
}
