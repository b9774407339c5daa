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
/** Whether each holds. Changed by its event only: asking the browser before the event comes makes Chromium drop the event. */
const media = { '(prefers-color-scheme: dark)': false, print: false };
const queries = Object.keys(media) as (keyof typeof media)[];

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
  apply();
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
  if (media.print) return false;
  return current.theme === 'dark' || (current.theme === 'system' && media['(prefers-color-scheme: dark)']);
}

/** Writes the theme and the density on the page. */
function apply(): void {
  const { dataset } = document.documentElement;
  dataset.theme = isDark() ? 'dark' : 'light';
  dataset.density = current.density;
  for (const watcher of watchers) watcher();
}

export function applyPreferences(): void {
  for (const query of queries) {
    const list = matchMedia(query);
    media[query] = list.matches;
    list.addEventListener('change', ({ matches }) => {
      media[query] = matches;
      apply();
    });
  }
  apply();
}
