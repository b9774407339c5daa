/** The actions on the object of the open page, for the palette and the keyboard. */
import { useEffect, useSyncExternalStore } from 'react';

export interface PageAction {
  readonly title: string;
  /** The key that does it while nothing is typed. Keys of the shell and of tables come first. */
  readonly key?: string;
  readonly act: () => void;
}

let offered: readonly PageAction[] = [];
const watchers = new Set<() => void>();

function offer(actions: readonly PageAction[]): void {
  offered = actions;
  for (const watcher of watchers) watcher();
}

/** Offers the actions while the component is shown. `false` replaces an action that is not possible now. */
export function usePageActions(actions: readonly (PageAction | false)[]): void {
  useEffect(() => {
    const possible = actions.filter((action) => action !== false);
    offer(possible);
    return () => {
      if (offered === possible) offer([]);
    };
  });
}

/** The actions of the current page. */
export function offeredActions(): readonly PageAction[] {
  return offered;
}

export function useOfferedActions(): readonly PageAction[] {
  return useSyncExternalStore(watch, offeredActions);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
