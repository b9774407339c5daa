import { Worker } from 'node:worker_threads';
import type { BoundQuery } from './statement.ts';

/** A read that took longer than this runs on the other thread from then on. */
const SLOW_MILLISECONDS = 25;
/** Distinct shapes remembered of each kind; the oldest is forgotten first. */
const REMEMBERED = 500;
/** A number of this many digits or more in a query says how far it reads: an offset, for one. */
const TELLING_NUMBER = 1000;

interface Waiting {
  readonly shape: string;
  resolve(rows: Record<string, unknown>[]): void;
  reject(error: unknown): void;
}

interface WorkerAnswer {
  readonly id: number;
  readonly rows?: Record<string, unknown>[];
  readonly error?: unknown;
  readonly milliseconds: number;
}

/**
 * Reads that may hold the event loop up, on a thread with its own connection. Which reads are slow depends on the data,
 * so it is learned. In a large database a query whose shape the request chose is tried on the thread first; in a small one
 * nothing is slow for long, so there the first slow run is the last on the main thread. The thread starts when it is needed.
 */
export class SlowReads {
  readonly #file: string;
  readonly #isLarge: () => boolean;
  readonly #slow = new Set<string>();
  readonly #quick = new Set<string>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 0;

  constructor(file: string, isLarge: () => boolean) {
    this.#file = file;
    this.#isLarge = isLarge;
  }

  /** True when the query is to be asked here and not on the main thread. */
  owns(query: BoundQuery): boolean {
    if (query.readsMuch) return true;
    const shape = shapeOf(query);
    return this.#slow.has(shape) || (!query.prepare && !this.#quick.has(shape) && this.#isLarge());
  }

  observe(query: BoundQuery, milliseconds: number): void {
    this.#remember(shapeOf(query), milliseconds);
  }

  all(query: BoundQuery): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { shape: shapeOf(query), resolve, reject });
      this.#start().postMessage({ id, sql: query.sql, parameters: query.parameters });
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#failAll(new Error('The database was closed.'));
  }

  #remember(shape: string, milliseconds: number): void {
    const kind = milliseconds < SLOW_MILLISECONDS ? this.#quick : this.#slow;
    if (kind.has(shape)) return;
    kind.add(shape);
    if (kind.size > REMEMBERED) kind.delete(kind.values().next().value ?? '');
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./sqlite-read-worker.ts', import.meta.url), {
      workerData: { file: this.#file },
    });
    worker.unref();
    worker.on('message', ({ id, rows, error, milliseconds }: WorkerAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (!waiting) return;
      if (!rows) return waiting.reject(error);
      this.#remember(waiting.shape, milliseconds);
      waiting.resolve(rows);
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#failAll(error);
    });
    this.#worker = worker;
    return worker;
  }

  #failAll(error: unknown): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** The text of the query, and how large its large numbers are: a page far down is another shape than the first. */
function shapeOf({ sql, parameters }: BoundQuery): string {
  let shape = sql;
  for (const value of parameters) {
    if (typeof value === 'number' && value >= TELLING_NUMBER) shape += `#${Math.trunc(Math.log10(value))}`;
  }
  return shape;
}
