/**
 * The record of every request, one row each, written in batches off the way of the requests, with what it adds to its
 * session. What waits is written when the server stops. A record names the owner of a key, never the key.
 */
import type { PlatformTx, Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { Logger } from '../../../logger.ts';
import { addToSession, sessionsOf } from './session-activity.ts';

export type RequestRecord = Row<'mcp_request'>;

const FLUSH_MILLISECONDS = 250;
const RETRY_MILLISECONDS = 5000;
/** Some 5 ms of the main thread on SQLite; smaller ones would wait for the disk more often. */
const MAX_BATCH = 1000;
/** When the database does not take them, this many wait; more would fill the memory, and are told in the log. */
const MAX_WAITING = 100_000;

export class Records {
  readonly #store: Store;
  readonly #logger: Logger;
  #waiting: RequestRecord[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  add(record: RequestRecord): void {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) this.#lost += 1;
    else this.#waiting.push(record);
    if (this.#closed) this.#tellLost();
    else if (this.#waiting.length === MAX_BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS);
  }

  /** Resolves when what was added before is written, or stays for the next try. */
  flush(): Promise<void> {
    this.#tryAfter(undefined);
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /**
   * Writes what waits. What the database refuses even now, or comes later, is lost, and the log says how much that is: a
   * server that stops waits for no further try.
   */
  async close(): Promise<void> {
    await this.flush();
    // What came while that was written, and what connections that have just been closed tell in the next turn.
    await new Promise(setImmediate);
    await this.flush();
    this.#closed = true;
    this.#tryAfter(undefined);
    this.#lost += this.#waiting.length;
    this.#waiting = [];
    this.#tellLost();
  }

  async #write(): Promise<void> {
    // What arrives meanwhile waits for the next time: else a busy gateway would commit without a pause, a few at a time.
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
      this.#waiting = this.#waiting.slice(batch.length);
      rest -= batch.length;
    }
    this.#tellLost();
  }

  #tryAfter(milliseconds: number | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = milliseconds === undefined ? undefined : setTimeout(() => void this.flush(), milliseconds);
  }

  #tellLost(): void {
    if (this.#lost > 0) this.#logger.error({ lost: this.#lost }, 'records of requests to MCP servers were lost');
    this.#lost = 0;
  }
}

async function write(tx: PlatformTx, batch: readonly RequestRecord[]): Promise<void> {
  await tx.insertAll('mcp_request', batch);
  await tx.insertAll('mcp_session', sessionsOf(batch), addToSession);
}
