/** Choices of a person for this browser, kept in its storage. None is secret. */
import { useSyncExternalStore } from 'react';

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'dense' | 'comfortable';
  /** Zone that times are shown in. */
  readonly zone: 'local' | 'utc';
  /** Columns of the runs table, in their order. */
  readonly runColumns: readonly string[] | undefined;
}

const KEY = 'signalbox.preferences';
const defaults: Preferences = { theme: 'system', density: 'dense', zone: 'local', runColumns: undefined };

let current: Preferences = { ...defaults, ...stored() };
const watchers = new Set<() => void>();
const isPrinted = follow('print');
const prefersDark = follow('(prefers-color-scheme: dark)');

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
  applyPreferences();
}

export function preferences(): Preferences {
  return current;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(watch, preferences);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Whether the page is dark, by choice or as the system is. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watch, isDark);
}

/** Paper is light. */
function isDark(): boolean {
  if (isPrinted.holds) return false;
  return current.theme === 'dark' || (current.theme === 'system' && prefersDark.holds);
}

/** Changed by its event only: Chromium drops the event of a query that is read after the change and before the event. */
function follow(query: string): { readonly holds: boolean } {
  const list = matchMedia(query);
  const media = { holds: list.matches };
  list.addEventListener('change', ({ matches }) => {
    media.holds = matches;
    applyPreferences();
  });
  return media;
}

/** Writes the theme and the density on the page. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  dataset.theme = isDark() ? 'dark' : 'light';
  dataset.density = current.density;
  for (const watcher of watchers) watcher();
}
