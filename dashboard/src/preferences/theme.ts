/** The look of the page: light or dark, dense or comfortable, by the person's choice or the system's setting. */
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

/** True if the page is dark, by choice or by the system's setting. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watch, isDark);
}

/** Printed pages are light. */
function isDark(): boolean {
  if (isPrinted.holds) return false;
  const { theme } = preferences();
  return theme === 'dark' || (theme === 'system' && prefersDark.holds);
}

/** Only changed by its event: Chromium drops the event of a query that is read between the change and the event. */
function follow(query: string): { readonly holds: boolean } {
  const list = matchMedia(query);
  const media = { holds: list.matches };
  list.addEventListener('change', ({ matches }) => {
    media.holds = matches;
    applyTheme();
  });
  return media;
}

/** Applies the theme and the density to the page. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  dataset.theme = isDark() ? 'dark' : 'light';
  dataset.density = preferences().density;
  for (const watcher of watchers) watcher();
}
