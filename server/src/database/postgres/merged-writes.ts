/**
 * Joins writes of one transaction that are sent together and do not depend on each other into one statement: its parts are
 * planned, sent and answered once. PostgreSQL runs all parts on the state from before the statement, and checks foreign
 * keys at its end. Source: https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING
 */
import type { BoundQuery } from '../statement.ts';
import type { Result } from './result.ts';

interface Waiting {
  readonly query: BoundQuery;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The texts of joined statements, by the texts of their parts. */
const joined = new Map<string, Map<string, string>>();

export class MergedWrites {
  readonly #send: (query: BoundQuery) => Promise<Result>;
  readonly #waiting: Waiting[] = [];

  constructor(send: (query: BoundQuery) => Promise<Result>) {
    this.#send = send;
  }

  /**
   * Sends it with those that come before the end of this turn. Resolves without rows, and with the number of rows if the
   * query asks for it.
   */
  add(query: BoundQuery): Promise<Result> {
    if (this.#waiting.length === 0) process.nextTick(() => this.flush());
    return new Promise((resolve, reject) => this.#waiting.push({ query, resolve, reject }));
  }

  /** Call it before another statement of the transaction is sent. */
  flush(): void {
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    const fail = (error: unknown) => {
      for (const { reject } of waiting) reject(error);
    };
    this.#sendAll(waiting).catch(fail);
  }

  async #sendAll(waiting: readonly Waiting[]): Promise<void> {
    const [only] = waiting;
    if (waiting.length === 1 && only) return only.resolve(await this.#send(only.query));
    const queries = waiting.map(({ query }) => query);
    const parameters = queries.flatMap((query) => query.parameters);
    const result = await this.#send({ sql: textOf(queries), parameters, prepare: true });
    const counts = result.rows[0] as Record<string, number>;
    for (const [index, { resolve }] of waiting.entries()) {
      resolve({ ...result, rows: [], rowCount: counts[`c${index}`] ?? null });
    }
  }
}

function textOf(queries: readonly BoundQuery[]): string {
  const [first, ...others] = queries.map(({ sql }) => sql);
  const ofFirst = joined.get(first!) ?? new Map<string, string>();
  joined.set(first!, ofFirst);
  const key = others.join(';');
  const known = ofFirst.get(key);
  if (known !== undefined) return known;
  let taken = 0;
  const parts = queries.map(({ sql, parameters, merges }, index) => {
    const before = taken;
    taken += parameters.length;
    const text = sql.replaceAll(/\$(\d+)/g, (_match, position) => `$${Number(position) + before}`);
    return `c${index} as (${text}${merges === 'counted' ? ' returning 1' : ''})`;
  });
  const counts = queries.flatMap(({ merges }, index) =>
    merges === 'counted' ? [`(select count(*) from c${index})::int as c${index}`] : [],
  );
  const text = `with ${parts.join(', ')} select ${counts.join(', ') || '1'}`;
  ofFirst.set(key, text);
  return text;
}
