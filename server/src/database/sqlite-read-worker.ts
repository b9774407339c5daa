/** The thread of `SlowReads`: runs one query after the other on its own read-only connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';

const connection = new SqliteConnection((workerData as { file: string }).file, { readOnly: true });

parentPort?.on('message', ({ id, sql, parameters }: { id: number; sql: string; parameters: unknown[] }) => {
  try {
    parentPort?.postMessage({ id, rows: connection.all(sql, parameters) });
  } catch (error) {
    parentPort?.postMessage({ id, error });
  }
});
