/**
 * A process of `ReadPool`: runs queries one by one on its own read-only connection. It is a process and not a thread
 * because only the end of a process ends a query in SQLite.
 */
import { setPriority } from 'node:os';
import { Unavailable } from '../../errors.ts';
import { SqliteConnection } from './connection.ts';

export interface ReadQuestion {
  /** The method of the connection that answers it. */
  readonly form: 'all' | 'json';
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface ReadAnswer {
  /** Rows, or the text of their JSON. */
  readonly result?: unknown;
  readonly milliseconds: number;
  readonly error?: { readonly message: string; readonly isUnavailable: boolean };
}

/** A lower priority than the server's, for when processors are short. */
const LOWER_PRIORITY = 5;

const [file = ''] = process.argv.slice(2);
const connection = new SqliteConnection(file, { readOnly: true });
try {
  setPriority(LOWER_PRIORITY);
} catch {
  // The system may refuse: then reads run at the server's priority.
}
// The server ends this process by closing the channel or by force; a signal to the whole group is meant for the server.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', ({ form, sql, parameters }: ReadQuestion) => {
  const started = performance.now();
  const answer = (rest: Omit<ReadAnswer, 'milliseconds'>) =>
    process.send?.({ ...rest, milliseconds: performance.now() - started } satisfies ReadAnswer);
  try {
    answer({ result: connection[form](sql, parameters) });
  } catch (error) {
    answer({ error: { message: (error as Error).message, isUnavailable: error instanceof Unavailable } });
  }
});
// The time limit of a query counts from here on.
process.send?.('ready');
