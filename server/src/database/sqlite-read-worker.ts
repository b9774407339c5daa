/** The thread of `SlowReads`: runs one query after the other on its own read-only connection. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';

const connection = new SqliteConnection((workerData as { file: string }).file, { readOnly: true });

parentPort?.on('message', ({ id, sql, parameters }: { id: number; sql: string; parameters: unknown[] }) => {
  const started = performance.now();
  try {
    const rows = connection.all(sql, parameters);
    parentPort?.postMessage({ id, rows, milliseconds: performance.now() - started });
  } catch (error) {
    parentPort?.postMessage({ id, error, milliseconds: performance.now() - started });
  }
});
