/** Says what an act has done, in a corner of the page, for those who see it and for those who hear it. */
import type { ReactNode } from 'react';

export interface Notice {
  readonly text: string;
  /** A problem stays until it is dismissed. Other notices go by themselves. */
  readonly isProblem?: boolean;
  /** Leads to the result. */
  readonly link?: ReactNode;
  readonly undo?: Undo;
}

export interface Undo {
  /** Takes the act back. Throws if it is too late. */
  readonly act: () => Promise<unknown>;
  /** Says that it was taken back. */
  readonly done: string;
  /** Milliseconds for which it can be taken back. */
  readonly within: number;
}

/** Notices that came before they could be shown. */
const waiting: Notice[] = [];
let deliver = () => {};

export function notify(text: string, more: Pick<Notice, 'link' | 'undo'> = {}): void {
  waiting.push({ text, ...more });
  deliver();
}

export function notifyProblem(error: unknown): void {
  waiting.push({ text: error instanceof Error ? error.message : String(error), isProblem: true });
  deliver();
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
