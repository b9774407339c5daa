/**
 * The list of runs that a person saw last in this tab, so that the page of a run leads to the next one. The session of
 * the tab keeps it, because the page may be loaded again.
 */
import type { RunsSearch } from './run-fields.ts';

const KEY = 'signalbox.last-runs';
/** Ids that are kept; a list may have more. */
const MOST = 1000;

export interface LastList {
  readonly search: RunsSearch;
  /** In the order of the list. */
  readonly ids: readonly string[];
}

export function rememberList(search: RunsSearch, ids: readonly string[]): void {
  if (ids.length === 0) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ search, ids: ids.slice(0, MOST) } satisfies LastList));
  } catch {
    // A browser that stores nothing has no next run.
  }
}

export function lastList(): LastList | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '') as LastList;
  } catch {
    return undefined;
  }
}

export interface Steps {
  readonly place: number;
  readonly count: number;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** The runs beside this one; undefined if it is not in the list. */
export function stepsFrom(list: LastList | undefined, id: string): Steps | undefined {
  const index = list?.ids.indexOf(id) ?? -1;
  if (!list || index === -1) return undefined;
  return { place: index + 1, count: list.ids.length, previous: list.ids[index - 1], next: list.ids[index + 1] };
}
