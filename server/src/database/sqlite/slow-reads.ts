import { statSync } from 'node:fs';
import { Unavailable } from '../../errors.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { BoundQuery } from '../statement.ts';
import type { Requester } from '../store.ts';
import { lengthOf, ReadPool } from './read-pool.ts';
import type { ReadQuestion } from './read-process.ts';

/** A statement of the server that once took longer than this runs in a separate process afterwards. */
const SLOW_MILLISECONDS = 25;
/** Distinct statements remembered as slow; the oldest is forgotten first. */
const REMEMBERED = 500;
/** A number this large in a query affects how far it reads, for example as an offset. */
const TELLING_NUMBER = 1000;
/** In a file of at most this many bytes, no short query takes long. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** Characters of a query and its values together; a longer query is slow in any file. */
const SHORT_QUERY = 10_000;
const LOOK_AGAIN_MILLISECONDS = 5000;

/**
 * Runs reads that may block the event loop in separate processes. The time of a query that a request composed depends
 * on its values as much as on its shape, so unless the file is small, none of them runs on the main thread. The
 * server's own statements read few rows and run on the main thread; a statement that was slow once runs in a separate
 * process afterwards.
 */
export class SlowReads {
  readonly #file: string;
  readonly #pool: ReadPool;
  readonly #slow = new BoundedMap<string, true>({ name: 'slow reads', most: REMEMBERED });
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isSmall = true;

  constructor(file: string, timeoutSeconds: number) {
    this.#file = file;
    this.#pool = new ReadPool(file, timeoutSeconds);
  }

  /** True when the query must run here instead of the main thread. */
  owns(query: BoundQuery): boolean {
    if (query.readsMuch || this.#slow.get(shapeOf(query))) return true;
    return !query.prepare && (lengthOf(query) > SHORT_QUERY || !this.#fileIsSmall());
  }

  observe(query: BoundQuery, milliseconds: number): void {
    if (milliseconds < SLOW_MILLISECONDS) return;
    this.#slow.set(shapeOf(query), true);
  }

  /** Throws Unavailable when the read took too long or its requester has gone. */
  async read(form: ReadQuestion['form'], query: BoundQuery, share: string, requester: Requester): Promise<unknown> {
    const question = { form, sql: query.sql, parameters: query.parameters };
    const { result, error } = await this.#pool.ask(question, share, requester);
    if (result !== undefined) return result;
    if (error?.isUnavailable) throw new Unavailable(error.message);
    throw new Error(error?.message);
  }

  close(): void {
    this.#pool.close();
  }

  #fileIsSmall(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt > LOOK_AGAIN_MILLISECONDS) {
      this.#lookedAt = now;
      this.#isSmall = sizeOf(this.#file) + sizeOf(`${this.#file}-wal`) < SMALL_BYTES;
    }
    return this.#isSmall;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The text of the query and the magnitude of its large numbers: a page far down has another shape than the first. */
function shapeOf({ sql, parameters }: BoundQuery): string {
  let shape = sql;
  for (const value of parameters) {
    if (typeof value === 'number' && value >= TELLING_NUMBER) shape += `#${Math.trunc(Math.log10(value))}`;
  }
  return shape;
}
