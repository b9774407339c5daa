/** Choices of a person for this browser, kept in its storage. None is secret. */
import { useSyncExternalStore } from 'react';

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'dense' | 'comfortable';
  /** Time zone for displayed times. */
  readonly zone: 'local' | 'utc';
  /** True if long lines of logs wrap. */
  readonly wrapsLogs: boolean;
  /** The columns of lists, by the name of the list. */
  readonly tables: Readonly<Record<string, TableLook>>;
}

export interface TableLook {
  /** Ids of the columns that are shown; those that the list shows by itself when absent. */
  readonly shown?: readonly string[];
  /** Pixels, by the id of the column. Other columns are as wide as their content. */
  readonly widths?: Readonly<Record<string, number>>;
}

const KEY = 'signalbox.preferences';
const defaults: Preferences = { theme: 'system', density: 'dense', zone: 'local', wrapsLogs: true, tables: {} };

let current: Preferences = { ...defaults, ...stored() };
const watchers = new Set<() => void>();

type Stored = Partial<Preferences> & { readonly runColumns?: readonly string[] };

function stored(): Partial<Preferences> {
  try {
    const { runColumns, ...own } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored;
    // The columns of runs were a choice of their own once.
    return runColumns ? { tables: { runs: { shown: runColumns } }, ...own } : own;
  } catch {
    return {};
  }
}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  current = { ...current, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that stores nothing keeps the choice until the page closes.
  }
  for (const watcher of watchers) watcher();
}

/** Changes the columns of one list. */
export function setTableLook(table: string, look: TableLook): void {
  setPreference('tables', { ...current.tables, [table]: { ...current.tables[table], ...look } });
}

export function preferences(): Preferences {
  return current;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(watchPreferences, preferences);
}

/** Calls `watcher` after each change. Returns a function that stops this. */
export function watchPreferences(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
