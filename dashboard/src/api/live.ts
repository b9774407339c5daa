/**
 * One stream of changes for the whole tab. A page lists the objects that it shows; when one changes, its queries run
 * again, at most every 750 ms. While the stream is away, they run every ten seconds.
 */
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { openEvents } from './event-stream.ts';
import { apiPath } from './workspace.ts';

export type LiveStatus = 'live' | 'connecting' | 'away';

/** A change that a message of the stream reports. `views/live` of the API describes it. */
export interface Change {
  readonly type:
    | 'flow_run'
    | 'task_run'
    | 'log'
    | 'event'
    | 'resync'
    | 'first_hour'
    | 'server_request'
    | 'server_output'
    | 'server_build'
    | 'mcp_server'
    | 'access_request';
  /** The id of an MCP server, if the type is one of the last five. */
  readonly id?: string;
  /** The flow run of a task run or of logs. */
  readonly flow_run_id?: string;
}

type Listener = (change: Change) => void;

const POLL_MILLISECONDS = 10_000;
/** Changes within this time are read together. */
const SOON_MILLISECONDS = 50;
/** During continuous changes, queries run in this interval. */
const SPACING_MILLISECONDS = 750;
const LONGEST_WAIT_MILLISECONDS = 30_000;

/** Kinds of changes without an event; all others are events. */
const withoutEvent: ReadonlySet<string> = new Set([
  'log',
  'first_hour',
  'server_request',
  'server_output',
  'server_build',
  'mcp_server',
  'access_request',
]);

class LiveStream {
  #source: ReturnType<typeof openEvents> | undefined;
  #status: LiveStatus = 'connecting';
  #since = Date.now();
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();

  start(): void {
    this.#connect();
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible' && this.#status === 'away') this.#connect();
    });
    addEventListener('online', () => this.#connect());
    addEventListener('offline', () => this.#lose());
  }

  get status(): LiveStatus {
    return this.#status;
  }

  /** Time of the last change of status, in milliseconds since 1970. */
  get since(): number {
    return this.#since;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  #connect(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    const source = openEvents(`${location.origin}${apiPath}/views/live`);
    this.#source = source;
    source.addEventListener('open', () => {
      const isReturn = this.#tries > 0;
      this.#tries = 0;
      this.#become('live');
      // Changes may have been missed in the meantime, so everything is read again.
      if (isReturn) this.#tell({ type: 'resync' });
    });
    source.addEventListener('message', ({ data }) => {
      for (const change of JSON.parse(data) as Change[]) this.#tell(change);
    });
    source.addEventListener('error', () => this.#lose());
  }

  #lose(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#tries += 1;
    this.#become('away');
    const wait = Math.min(LONGEST_WAIT_MILLISECONDS, 500 * 2 ** this.#tries) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => this.#connect(), wait);
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  #become(status: LiveStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#since = Date.now();
    for (const watcher of this.#watchers) watcher();
  }
}

export const live = new LiveStream();

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(live.watch, () => live.status);
}

/** `call` makes `act` run soon, but at most every 750 ms. */
export function gathered(act: () => void): { readonly call: () => void; readonly cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return {
    call: () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          last = performance.now();
          act();
        },
        Math.max(SOON_MILLISECONDS, last + SPACING_MILLISECONDS - performance.now()),
      );
    },
    cancel: () => clearTimeout(timer),
  };
}

let actionsUnderWay = 0;

/**
 * Runs an action that may delete the shown object and leave the page. Until it is done, changes trigger no queries,
 * which would look for the deleted object.
 */
export async function withoutAsking<Result>(act: () => Promise<Result>): Promise<Result> {
  actionsUnderWay += 1;
  try {
    return await act();
  } finally {
    actionsUnderWay -= 1;
  }
}

/** Runs the queries on the screen again when an object that they show has changed. */
export function keepQueriesFresh(client: QueryClient): void {
  const changed = new Set<Change['type']>();
  const ids = new Set<string>();
  const { call: askSoon } = gathered(() => {
    if (actionsUnderWay > 0) {
      askSoon();
      return;
    }
    const types = new Set(changed);
    const changedIds = new Set(ids);
    changed.clear();
    ids.clear();
    void client.invalidateQueries({
      predicate: ({ meta }) => {
        const watched = (meta as { watches?: readonly string[] } | undefined)?.watches;
        if (!watched) return false;
        if (types.has('resync')) return true;
        return watched.some((topic) => types.has(topic as Change['type']) || changedIds.has(topic));
      },
    });
  });
  live.listen((change) => {
    changed.add(change.type);
    if (!withoutEvent.has(change.type)) changed.add('event');
    if (change.id) ids.add(change.id);
    if (change.flow_run_id) ids.add(change.flow_run_id);
    askSoon();
  });
  setInterval(() => {
    if (live.status === 'live' || document.visibilityState === 'hidden') return;
    changed.add('resync');
    askSoon();
  }, POLL_MILLISECONDS);
}
