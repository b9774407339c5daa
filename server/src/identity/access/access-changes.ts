/**
 * Notifies the holders of open connections that access may have changed, whichever process changed it, or has ended by
 * time. One small statement every tenth of a second serves all of them. While nothing is open, none runs.
 */

import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { Unavailable } from '../../errors.ts';
import type { Clock, Timestamp } from '../../values/time.ts';
import { attempt, guarded } from '../../watching/background.ts';

const LOOK_MILLISECONDS = 100;

const findVersion = platformStatement<Record<string, never>, Pick<Row<'access_version'>, 'version'>>((query) =>
  query.selectFrom('access_version').select('version'),
);

interface AccessWatcher {
  /** False while nothing is open that could lose its access. */
  isOpen(): boolean;
  /** Checks everything that is open. The next call comes after this one has resolved. */
  look(): Promise<void>;
}

export class AccessChanges {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #watchers = new Set<AccessWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #version: number | undefined;
  #isLooking = false;
  /** The earliest end that was noted since the last round of checks. */
  #nextEnd: Timestamp | undefined;

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * A key, session or token that was just read ends at this time. Its open connections are checked then, and each check
   * reads the access again and notes the next end, so one number is enough for all connections.
   */
  noteEnd(end: Timestamp | undefined): void {
    if (end !== undefined && (this.#nextEnd === undefined || end < this.#nextEnd)) this.#nextEnd = end;
  }

  /** Returns a function that stops watching. */
  watch(watcher: AccessWatcher): () => void {
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(
      guarded('a check of changes of access', () => this.#look()),
      LOOK_MILLISECONDS,
    ).unref();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    const open = [...this.#watchers].filter((watcher) => watcher.isOpen());
    if (open.length === 0) return;
    this.#isLooking = true;
    try {
      const version = (await this.#store.platform.reads({ background: true }).first(findVersion))?.version;
      const hasEnd = this.#nextEnd !== undefined && this.#nextEnd <= this.#clock.now();
      if (version === this.#version && !hasEnd) return;
      // Set before the checks, so that a change during them leads to another round.
      this.#version = version;
      this.#nextEnd = undefined;
      await Promise.all(open.map((watcher) => attempt('a check of open connections', () => watcher.look())));
    } catch (error) {
      // While the database does not answer, the current access is unknown and open connections stay open.
      if (!(error instanceof Unavailable)) throw error;
    } finally {
      this.#isLooking = false;
    }
  }
}
