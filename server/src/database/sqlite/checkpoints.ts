import { Worker } from 'node:worker_threads';
import { guarded } from '../../watching/background.ts';
import type { Checkpoint } from './checkpoint-thread.ts';
import type { SqliteConnection } from './connection.ts';
import type { WriteGate } from './write-gate.ts';

/**
 * Pages in the write-ahead log after which a checkpoint begins. A commit of one transition writes some 25 pages, mostly
 * the same as the commits before it: the more of them wait, the fewer are copied twice.
 */
const PAGES = 4000;
/** Writes wait for a running checkpoint while the log is longer than this. */
const MOST_PAGES = 4 * PAGES;
/** A thread that is idle for this long ends. */
const IDLE_MILLISECONDS = 60_000;

/** From 3.51 on SQLite reports the length of the log without a checkpoint; before, the query itself would start one. */
const [major = 0, minor = 0] = (process.versions['sqlite'] ?? '').split('.').map(Number);
const tellsLength = major > 3 || minor >= 51;

/** The source is beside this file; a program of its own is beside the bundle. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : './checkpoint-thread.js',
  import.meta.url,
);

/**
 * Copies the write-ahead log to the database file, on a thread: 16 MB and two waits for the disk would delay every
 * request. Most pages are copied during further writes, which then wait for the rest, so that the log starts again from
 * its beginning. Source: https://www.sqlite.org/wal.html#checkpointing
 */
export class Checkpoints {
  readonly #file: string;
  readonly #writer: SqliteConnection;
  readonly #gate: WriteGate;
  #thread: CheckpointThread | undefined;
  #running: Promise<void> | undefined;
  /** The part of `#running` during which writes continue. */
  #firstPass: Promise<unknown> | undefined;
  /** While a reader needs the log, the length at which the next attempt is made. */
  #retryAt = 0;
  #hasBegun = false;
  #ended = !tellsLength;

  constructor(file: string, writer: SqliteConnection, gate: WriteGate) {
    this.#file = file;
    this.#writer = writer;
    this.#gate = gate;
    this.#autoCheckpoint(PAGES);
  }

  /**
   * Call it after a commit, before the next transaction. Begins a checkpoint when the log is long enough; resolves
   * later if the log grows faster than it is copied.
   */
  async afterCommit(): Promise<void> {
    if (this.#ended) return;
    const { log, checkpointed } = this.#length();
    if (this.#running !== undefined) {
      if (log > MOST_PAGES) await this.#firstPass;
      return;
    }
    // The log has restarted in the meantime.
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

  #length(): Pick<Checkpoint, 'log' | 'checkpointed'> {
    try {
      // Until here only migrations wrote, and no request waits for them.
      if (!this.#hasBegun) this.#autoCheckpoint(0);
      this.#hasBegun = true;
      return this.#writer.first('pragma wal_checkpoint(noop)', []) as unknown as Checkpoint;
    } catch {
      this.#leaveToWriter();
      return { log: 0, checkpointed: 0 };
    }
  }

  async #run(): Promise<void> {
    try {
      if (this.#thread === undefined || this.#thread.hasEnded) this.#thread = new CheckpointThread(this.#file);
      const thread = this.#thread;
      const first = thread.checkpoint();
      this.#firstPass = first.catch(() => {});
      let done = await first;
      if (isComplete(done)) done = await this.#gate.alone(() => thread.checkpoint());
      this.#retryAt = isComplete(done) ? 0 : done.log + PAGES;
    } catch {
      this.#leaveToWriter();
    }
  }

  /**
   * The thread does not start, or cannot write: the writing connection then checkpoints after its commits, and reports
   * no error.
   */
  #leaveToWriter(): void {
    this.#ended = true;
    this.#autoCheckpoint(PAGES);
  }

  #autoCheckpoint(pages: number): void {
    this.#writer.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}

/** False if a reader still needs a part of the log, or another process is checkpointing. */
function isComplete({ busy, log, checkpointed }: Checkpoint): boolean {
  return busy === 0 && checkpointed === log;
}

class CheckpointThread {
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  #asked: PromiseWithResolvers<Checkpoint> | undefined;
  #retirement: NodeJS.Timeout | undefined;
  /** True when it accepts no more work. */
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
    this.#worker.on(
      'message',
      guarded('an answer of the thread for checkpoints', (answer: Checkpoint | { readonly error: string }) => {
        if ('error' in answer) this.#asked?.reject(new Error(answer.error));
        else this.#asked?.resolve(answer);
      }),
    );
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
      this.#retirement = setTimeout(
        guarded('the end of the thread for checkpoints', () => this.end()),
        IDLE_MILLISECONDS,
      ).unref();
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#retirement);
    if (!this.hasEnded) {
      this.hasEnded = true;
      this.#worker.ref();
      this.#worker.postMessage('end');
    }
    await this.#exit;
  }
}
