/** The title of the tab, and who hears of it when it names what the page shows. */

type Watcher = (title: string) => void;

const watchers = new Set<Watcher>();

export function setPageTitle(title: string, isRead: boolean): void {
  document.title = `${title} · Signalbox`;
  if (!isRead) return;
  for (const watcher of watchers) watcher(title);
}

/** Calls `watcher` with each title. Returns a function that stops this. */
export function watchPageTitle(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
