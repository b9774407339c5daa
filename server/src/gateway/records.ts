/**
 * The record of every request, one row each, written in batches off the way of the requests. What waits is written when
 * the server stops. A record names the owner of a key, never the key.
 */
import { platformStatement, rowOf } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables.ts';
import type { Logger } from '../logger.ts';

export type RequestRecord = Row<'mcp_request'>;

const FLUSH_MILLISECONDS = 250;
const MAX_BATCH = 1000;
/** When the database does not take them, this many wait; more would fill the memory, and are told in the log. */
const MAX_WAITING = 100_000;

const insertRecord = platformStatement<RequestRecord, unknown>((query, given) =>
  query.insertInto('mcp_request').values(rowOf('mcp_request', given)),
);

export class Records {
  readonly #store: Store;
  readonly #logger: Logger;
  #waiting: RequestRecord[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  add(record: RequestRecord): void {
    if (this.#waiting.length >= MAX_WAITING) this.#lost += 1;
    else this.#waiting.push(record);
    if (this.#waiting.length >= MAX_BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS);
  }

  /** Resolves when what was added before is written, or stays for the next try. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      try {
        await this.#store.transaction(0, (tx) => Promise.all(batch.map((record) => tx.run(insertRecord, record))));
      } catch (error) {
        this.#logger.warn(
          { err: error, waiting: this.#waiting.length },
          'requests to MCP servers are not recorded yet',
        );
        this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS * 20);
        return;
      }
      this.#waiting = this.#waiting.slice(batch.length);
    }
    if (this.#lost > 0) this.#logger.error({ lost: this.#lost }, 'records of requests to MCP servers were lost');
    this.#lost = 0;
  }
}
