import { Worker } from 'node:worker_threads';
import type { Checkpoint } from './sqlite-checkpoint-thread.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Pages in the log of writes after which they are brought to the database file. A commit of one transition writes some 25,
 * mostly the same as the commits before it: the more of them wait, the fewer are brought over twice.
 */
const PAGES = 4000;
/** A thread that is idle for this long ends. */
const IDLE_MILLISECONDS = 60_000;

/** Beside this file as a source, beside the bundle as a program of its own. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './sqlite-checkpoint-thread.ts' : './sqlite-checkpoint-thread.js',
  import.meta.url,
);

/** Runs work between two transactions of the writing connection. */
type Alone = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Brings what stands in the log of writes to the database file, on a thread: 16 MB and two waits for the disk would hold
 * up every request. Most of it goes over beside further writes, which are then held back for the rest, so that the log
 * begins anew. Source: https://www.sqlite.org/wal.html#checkpointing
 */
export class Checkpoints {
  readonly #file: string;
  readonly #writer: SqliteConnection;
  readonly #alone: Alone;
  #thread: CheckpointThread | undefined;
  #running: Promise<void> | undefined;
  /** While a reader needs the log, the length at which the next try is made. */
  #retryAt = 0;
  #hasBegun = false;
  #ended = false;

  constructor(file: string, writer: SqliteConnection, alone: Alone) {
    this.#file = file;
    this.#writer = writer;
    this.#alone = alone;
    this.#autoCheckpoint(PAGES);
  }

  /** After a commit. Begins a checkpoint when the log is long enough. */
  afterCommit(): void {
    if (this.#ended || this.#running !== undefined) return;
    // Until here migrations wrote, which nobody waits for.
    if (!this.#hasBegun) this.#autoCheckpoint(0);
    this.#hasBegun = true;
    const { log, checkpointed } = this.#writer.first('pragma wal_checkpoint(noop)', []) as unknown as Checkpoint;
    // It began anew meanwhile.
    if (log < this.#retryAt - PAGES) this.#retryAt = 0;
    if (log - checkpointed < PAGES || log < this.#retryAt) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when the thread has closed the database. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#running;
    await this.#thread?.end();
  }

  async #run(): Promise<void> {
    try {
      if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = new CheckpointThread(this.#file);
      const thread = this.#thread;
      let done = await thread.checkpoint();
      if (isComplete(done)) done = await this.#alone(() => thread.checkpoint());
      this.#retryAt = isComplete(done) ? 0 : done.log + PAGES;
    } catch {
      // No thread can be had, or it cannot write: the writing connection does it after its commits, and reports no error.
      this.#ended = true;
      this.#autoCheckpoint(PAGES);
    }
  }

  #autoCheckpoint(pages: number): void {
    this.#writer.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}

/** Not where a reader still needs a part of the log, or another process is at it. */
function isComplete({ busy, log, checkpointed }: Checkpoint): boolean {
  return busy === 0 && checkpointed === log;
}

class CheckpointThread {
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  #asked: PromiseWithResolvers<Checkpoint> | undefined;
  #retirement: NodeJS.Timeout | undefined;
  hasEnded = false;

  constructor(file: string) {
    this.#worker = new Worker(program, {
      workerData: { file },
      // It reads no settings or secrets of the server.
      env: {},
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: Checkpoint | { readonly error: string }) => {
      if ('error' in answer) this.#asked?.reject(new Error(answer.error));
      else this.#asked?.resolve(answer);
    });
    this.#worker.once('error', (error) => this.#asked?.reject(error));
    this.#exit = new Promise((resolve) =>
      this.#worker.once('exit', () => {
        this.hasEnded = true;
        this.#asked?.reject(new Error('The thread for checkpoints ended.'));
        resolve();
      }),
    );
  }

  async checkpoint(): Promise<Checkpoint> {
    clearTimeout(this.#retirement);
    this.#asked = Promise.withResolvers<Checkpoint>();
    this.#worker.ref();
    this.#worker.postMessage('checkpoint');
    try {
      return await this.#asked.promise;
    } finally {
      this.#asked = undefined;
      // An idle thread does not keep the process alive.
      this.#worker.unref();
      this.#retirement = setTimeout(() => void this.end(), IDLE_MILLISECONDS).unref();
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#retirement);
    if (this.hasEnded) return;
    this.#worker.ref();
    this.#worker.postMessage('end');
    await this.#exit;
  }
}
