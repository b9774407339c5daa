/** The thread of `Checkpoints`: its own connection brings the log of writes to the database file when it is asked to. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Answer of `pragma wal_checkpoint`: pages in the log, and how many of them stand in the database file. */
export interface Checkpoint {
  /** 1 when another process was at it. */
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
