/** The look of the page: light or dark, dense or comfortable, as the person has chosen or as the system is. */
import { useSyncExternalStore } from 'react';
import { preferences, watchPreferences } from './preferences.ts';

const watchers = new Set<() => void>();
const isPrinted = follow('print');
const prefersDark = follow('(prefers-color-scheme: dark)');
watchPreferences(applyTheme);

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
  const { theme } = preferences();
  return theme === 'dark' || (theme === 'system' && prefersDark.holds);
}

/** Changed by its event only: Chromium drops the event of a query that is read after the change and before the event. */
function follow(query: string): { readonly holds: boolean } {
  const list = matchMedia(query);
  const media = { holds: list.matches };
  list.addEventListener('change', ({ matches }) => {
    media.holds = matches;
    applyTheme();
  });
  return media;
}

/** Writes the theme and the density on the page. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  dataset.theme = isDark() ? 'dark' : 'light';
  dataset.density = preferences().density;
  for (const watcher of watchers) watcher();
}
