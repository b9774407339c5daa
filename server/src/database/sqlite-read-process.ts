/**
 * A process of `ReadPool`: runs one query after the other on its own read-only connection. It is a process and not a
 * thread because a query in SQLite can be ended in no other way.
 */
import { setPriority } from 'node:os';
import { Unavailable } from '../errors.ts';
import { SqliteConnection } from './sqlite-connection.ts';

export interface ReadQuestion {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface ReadAnswer {
  readonly rows?: Record<string, unknown>[];
  readonly milliseconds: number;
  readonly error?: { readonly message: string; readonly isUnavailable: boolean };
}

/** Behind the server itself, where the processors do not suffice for all. */
const LOWER_PRIORITY = 5;

const [file = ''] = process.argv.slice(2);
const connection = new SqliteConnection(file, { readOnly: true });
try {
  setPriority(LOWER_PRIORITY);
} catch {
  // A system that does not let us: reads then run beside the server.
}
// The server ends this process, by closing the channel or by force; a signal to the whole group is meant for the server.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', ({ sql, parameters }: ReadQuestion) => {
  const started = performance.now();
  const answer = (rest: Omit<ReadAnswer, 'milliseconds'>) =>
    process.send?.({ ...rest, milliseconds: performance.now() - started } satisfies ReadAnswer);
  try {
    answer({ rows: connection.all(sql, parameters) });
  } catch (error) {
    answer({ error: { message: (error as Error).message, isUnavailable: error instanceof Unavailable } });
  }
});
// The time of a query counts from here on.
process.send?.('ready');
