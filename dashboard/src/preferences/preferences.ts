/** Choices of a person for this browser, kept in its storage. None is secret. */
import { useSyncExternalStore } from 'react';

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'dense' | 'comfortable';
  /** Time zone for displayed times. */
  readonly zone: 'local' | 'utc';
  /** Columns of the runs table, in order. */
  readonly runColumns: readonly string[] | undefined;
}

const KEY = 'signalbox.preferences';
const defaults: Preferences = { theme: 'system', density: 'dense', zone: 'local', runColumns: undefined };

let current: Preferences = { ...defaults, ...stored() };
const watchers = new Set<() => void>();

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
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
