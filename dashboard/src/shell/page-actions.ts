/** The actions on the object of the open page, for the palette and the keyboard. */
import { useEffect, useState, useSyncExternalStore } from 'react';

export interface PageAction {
  readonly title: string;
  /** The key that does it while nothing is typed. Keys of the shell and of tables come first. */
  readonly key?: string;
  readonly act: () => void;
}

/** The actions of each component that offers some, by a key of its own. */
const offers = new Map<object, readonly PageAction[]>();
let offered: readonly PageAction[] = [];
const watchers = new Set<() => void>();

function renew(): void {
  offered = [...offers.values()].flat();
  for (const watcher of watchers) watcher();
}

/** Offers the actions while the component is shown. `false` replaces an action that is not possible now. */
export function usePageActions(actions: readonly (PageAction | false)[]): void {
  const [key] = useState({});
  useEffect(() => {
    offers.set(
      key,
      actions.filter((action) => action !== false),
    );
    renew();
  });
  useEffect(
    () => () => {
      offers.delete(key);
      renew();
    },
    [key],
  );
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
