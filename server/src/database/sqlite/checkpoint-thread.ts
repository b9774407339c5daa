/** The thread of `Checkpoints`: on request, its own connection copies the write-ahead log to the database file. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The answer of `pragma wal_checkpoint`: pages in the log, and how many of them are in the database file. */
export interface Checkpoint {
  /** 1 when another process was checkpointing. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

const { file } = workerData as { readonly file: string };
const database = new DatabaseSync(file);
const checkpoint = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    parentPort?.postMessage({ ...checkpoint.get() });
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message });
  }
});
