import { rows } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Clock } from '../../values/time.ts';
import type { Logger } from '../../watching/logger.ts';

/** Resolution of the time of the last use: a busy key is written once in this time. */
const RESOLUTION_MILLISECONDS = 60_000;

const MOST_KEYS = 20_000;

const apiKeys = rows('api_key');
const connections = rows('oauth_connection');

/** Records when keys and connected clients were last used, without delaying the requests that use them. */
export class KeyUsage {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Time of the last write for each key or connection, by the clock of this process. */
  readonly #written = new BoundedMap<string, number>({ name: 'key usage', most: MOST_KEYS });

  constructor(store: Store, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  note(id: string): void {
    this.#note(id, apiKeys);
  }

  noteConnection(id: string): void {
    this.#note(id, connections);
  }

  #note(id: string, used: typeof apiKeys | typeof connections): void {
    const elapsed = performance.now();
    if (elapsed < (this.#written.get(id) ?? Number.NEGATIVE_INFINITY) + RESOLUTION_MILLISECONDS) return;
    this.#written.set(id, elapsed);
    const last_used_at = this.#clock.now();
    this.#store.platform
      .transaction((tx) => used.changeAll(tx, { id }, { last_used_at }))
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'could not record the last use of a key'));
  }
}
