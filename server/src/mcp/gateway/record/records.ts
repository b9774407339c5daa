/**
 * The record of all requests: one row each, and an update of its session. Batches are written without delaying
 * requests, and the rest when the server stops. A record names the owner of a key, never the key.
 */

import type { Hub } from '../../../changes/hub.ts';
import type { PlatformTx, Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { attempt, guarded } from '../../../watching/background.ts';
import type { Logger } from '../../../watching/logger.ts';
import { countFailures } from './failure-causes.ts';
import { addToSession, sessionsOf } from './session-activity.ts';

export type RequestRecord = Row<'mcp_request'>;

const FLUSH_MILLISECONDS = 250;
const RETRY_MILLISECONDS = 5000;
/**
 * A batch takes some 1 ms of the main thread on SQLite. Records that wait longer outlive the young generation: batches
 * of 1000 cost more in garbage collection than batches of 200 cost in commits.
 */
const MAX_BATCH = 200;
/** Records that wait while the database accepts none. More would fill the memory; the log counts the lost ones. */
const MAX_WAITING = 100_000;

export class Records {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #hub: Hub;
  #waiting: RequestRecord[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #flushInBackground = guarded('a batch of request records', () => this.flush());
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, logger: Logger, hub: Hub) {
    this.#store = store;
    this.#logger = logger;
    this.#hub = hub;
  }

  add(record: RequestRecord): void {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) this.#lost += 1;
    else this.#waiting.push(record);
    if (this.#closed) this.#tellLost();
    else if (this.#waiting.length === MAX_BATCH) this.#flushInBackground();
    else this.#timer ??= setTimeout(this.#flushInBackground, FLUSH_MILLISECONDS);
  }

  /** Resolves when the earlier records are written, or wait for the next attempt. */
  flush(): Promise<void> {
    this.#tryAfter(undefined);
    this.#writing = this.#writing.then(() => attempt('the recording of requests', () => this.#write()));
    return this.#writing;
  }

  /**
   * Writes the waiting records. Records that the database still refuses, or that come later, are lost, and the log
   * gives their number: a server that stops does not wait for another attempt.
   */
  async close(): Promise<void> {
    await this.flush();
    // Writes the records that arrived in the meantime. Those of connections that were just closed arrive in the next
    // turn.
    await new Promise(setImmediate);
    await this.flush();
    this.#closed = true;
    this.#tryAfter(undefined);
    this.#lost += this.#waiting.length;
    this.#waiting = [];
    this.#tellLost();
  }

  async #write(): Promise<void> {
    // Records that arrive in the meantime wait for the next time; otherwise a busy gateway would always commit small
    // batches.
    for (let rest = this.#waiting.length; rest > 0; ) {
      const batch = this.#waiting.slice(0, Math.min(rest, MAX_BATCH));
      try {
        await this.#store.platform.transaction((tx) => write(tx, batch), 'process');
      } catch (error) {
        this.#logger.warn(
          { err: error, waiting: this.#waiting.length },
          'requests to MCP servers are not recorded yet',
        );
        this.#tryAfter(RETRY_MILLISECONDS);
        return;
      }
      for (const id of new Set(batch.map(({ server_id }) => server_id)))
        this.#hub.tell('activity', id, 'server_request');
      this.#waiting = this.#waiting.slice(batch.length);
      rest -= batch.length;
    }
    this.#tellLost();
  }

  #tryAfter(milliseconds: number | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = milliseconds === undefined ? undefined : setTimeout(this.#flushInBackground, milliseconds);
  }

  #tellLost(): void {
    if (this.#lost > 0) this.#logger.error({ lost: this.#lost }, 'records of requests to MCP servers were lost');
    this.#lost = 0;
  }
}

async function write(tx: PlatformTx, batch: readonly RequestRecord[]): Promise<void> {
  await tx.insertAll('mcp_request', batch);
  await tx.insertAll('mcp_session', sessionsOf(batch), addToSession);
  await countFailures(tx, batch);
}
