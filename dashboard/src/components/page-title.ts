/** The title of the tab, and who hears of it. */

type Watcher = (title: string) => void;

const watchers = new Set<Watcher>();

export function setPageTitle(title: string): void {
  document.title = `${title} · Signalbox`;
  for (const watcher of watchers) watcher(title);
}

/** Calls `watcher` with each title. Returns a function that stops this. */
export function watchPageTitle(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
