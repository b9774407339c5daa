import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Logger } from '../logger.ts';
import type { Clock, Timestamp } from '../time.ts';

/** How exact the time of the last use is: a busy key is written down once in this time. */
const RESOLUTION_MILLISECONDS = 60_000;

const markUsed = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('api_key').set({ last_used_at: given.now }).where('id', '=', given.id),
);

const markConnectionUsed = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('oauth_connection').set({ last_used_at: given.now }).where('id', '=', given.id),
);

/** Notes when keys and connected clients were last used, without delaying the requests that use them. */
export class KeyUsage {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** When each was written, by the clock of this process. */
  readonly #written = new Map<string, number>();

  constructor(store: Store, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  note(id: string): void {
    this.#note(id, markUsed);
  }

  noteConnection(id: string): void {
    this.#note(id, markConnectionUsed);
  }

  #note(id: string, mark: typeof markUsed): void {
    const elapsed = performance.now();
    if (elapsed < (this.#written.get(id) ?? Number.NEGATIVE_INFINITY) + RESOLUTION_MILLISECONDS) return;
    this.#written.set(id, elapsed);
    const now = this.#clock.now();
    this.#store.platform
      .transaction((tx) => tx.run(mark, { id, now }))
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'could not record the last use of a key'));
  }
}
