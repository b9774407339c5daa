import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Logger } from '../logger.ts';
import { type Clock, secondsBetween, type Timestamp } from '../time.ts';

/** How exact the time of the last use is: a busy key is written down once in this time. */
const RESOLUTION_SECONDS = 60;

const markUsed = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('api_key').set({ last_used_at: given.now }).where('id', '=', given.id),
);

/** Notes when keys were last used, off the way of the requests that use them. */
export class KeyUsage {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #written = new Map<string, Timestamp>();

  constructor(store: Store, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  note(id: string): void {
    const now = this.#clock.now();
    const last = this.#written.get(id);
    if (last !== undefined && secondsBetween(last, now) < RESOLUTION_SECONDS) return;
    this.#written.set(id, now);
    this.#store
      .transaction(0, (tx) => tx.run(markUsed, { id, now }))
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the last use of a key could not be noted'));
  }
}
