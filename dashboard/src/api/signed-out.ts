/** Detects that the server no longer knows the caller: the session has ended, or the password has changed. */
import { useSyncExternalStore } from 'react';

let isOut = false;
const watchers = new Set<() => void>();

function become(value: boolean): void {
  if (isOut === value) return;
  isOut = value;
  for (const watcher of watchers) watcher();
}

/** Call it with each answer of either API. */
export function noteStatus(status: number): void {
  if (status === 401) become(true);
}

export function noteSignedIn(): void {
  become(false);
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isOut,
  );
}
