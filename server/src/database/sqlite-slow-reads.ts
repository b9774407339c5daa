import { Worker } from 'node:worker_threads';

/** A read that took longer than this on the main thread runs on the other one from then on. */
const SLOW_MILLISECONDS = 25;
/** Distinct texts remembered; the oldest is forgotten first. */
const REMEMBERED = 300;

interface Waiting {
  resolve(rows: Record<string, unknown>[]): void;
  reject(error: unknown): void;
}

/**
 * Reads that may hold the event loop up, on a thread with its own connection. Which reads are slow depends on the data,
 * so it is learned: the first slow run of a text is the last on the main thread. The thread starts with the first of them.
 */
export class SlowReads {
  readonly #file: string;
  readonly #slow = new Set<string>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 0;

  constructor(file: string) {
    this.#file = file;
  }

  owns(sql: string): boolean {
    return this.#slow.has(sql);
  }

  observe(sql: string, milliseconds: number): void {
    if (milliseconds < SLOW_MILLISECONDS) return;
    this.#slow.add(sql);
    if (this.#slow.size > REMEMBERED) this.#slow.delete(this.#slow.values().next().value ?? '');
  }

  all(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#start().postMessage({ id, sql, parameters });
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#failAll(new Error('The database was closed.'));
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./sqlite-read-worker.ts', import.meta.url), {
      workerData: { file: this.#file },
    });
    worker.unref();
    worker.on('message', (answer: { id: number; rows?: Record<string, unknown>[]; error?: unknown }) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.rows) waiting?.resolve(answer.rows);
      else waiting?.reject(answer.error);
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
