import { postgresDialect } from '../dialect/postgres.ts';
import { type BoundQuery, compileQuery, type Query, type Statement, type StatementOptions } from '../statement.ts';
import type { Scope } from '../store.ts';
import {
  type ColumnSpec,
  columnTypes,
  kindOf,
  type NewRow,
  rowsWithin,
  type TableName,
  tables,
} from '../tables/tables.ts';
import { followsFailure } from './errors.ts';
import { MergedWrites } from './merged-writes.ts';
import type { Result } from './result.ts';

type Run = (query: BoundQuery) => Promise<Result>;

/** Reads of one scope. `execution` sends a query and resolves with its result. */
export class PostgresReads<S extends Scope> {
  readonly dialect = postgresDialect;
  readonly workspace: S;
  protected readonly execution: Run;

  constructor(workspace: S, execution: Run) {
    this.workspace = workspace;
    this.execution = execution;
  }

  async all<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R[]> {
    return (await this.execution(statement.bind(this.dialect, (parameters ?? {}) as P, this))).rows as R[];
  }

  async first<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R | undefined> {
    return (await this.execution(statement.bind(this.dialect, (parameters ?? {}) as P, this))).rows[0] as R | undefined;
  }

  async query<R>(query: Query<R>, { recurs = false } = {}): Promise<R[]> {
    return (await this.execution(compileQuery(query, this.dialect, recurs))).rows as R[];
  }
}

/** Thrown by `alone`: the work begins anew in a transaction of its own. */
export class NeedsOwnCommit extends Error {}

/** Statements of one transaction, in the order in which they were given. */
export class PostgresTx<S extends Scope> extends PostgresReads<S> {
  readonly #send: Run;
  readonly #isPart: boolean;
  readonly #merged: MergedWrites;
  readonly #effects: (() => void)[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #ended = false;
  #isClean = true;
  /** The error of the first query that failed. */
  #failure: unknown;

  /** `send` sends a query of the transaction and resolves with its result. */
  constructor(workspace: S, send: Run, isPart = false) {
    super(workspace, (query) => {
      if (this.#ended) throw new Error('This transaction has ended.');
      return this.#track(this.#execute(query));
    });
    this.#send = send;
    this.#isPart = isPart;
    this.#merged = new MergedWrites(send);
  }

  /** Runs once the transaction is durable. */
  get effects(): readonly (() => void)[] {
    return this.#effects;
  }

  /** True while it has only read, and no query has failed: without it, the transaction is the same. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /** The error that ended the work: that of a query which nothing awaited, if later ones failed because of it. */
  causeOf(error: unknown): unknown {
    return followsFailure(error) ? (this.#failure ?? error) : error;
  }

  /** Makes a transaction within this one, for work that shares its commit and is ended separately. */
  part(): PostgresTx<S> {
    return new PostgresTx(this.workspace, this.#send, true);
  }

  async run<P>(statement: Statement<P, unknown>, ...[parameters]: [parameters?: P]): Promise<number> {
    return (await this.execution(statement.bind(this.dialect, (parameters ?? {}) as P, this))).rowCount ?? 0;
  }

  async execute(query: Query<unknown>): Promise<number> {
    return (await this.execution(compileQuery(query, this.dialect))).rowCount ?? 0;
  }

  async insertAll<Name extends TableName>(
    table: Name,
    rows: readonly NewRow<Name>[],
    otherwise = '',
    { merges }: StatementOptions = {},
  ): Promise<void> {
    if (rows.length === 0) return;
    const columns = Object.entries<ColumnSpec>(tables[table]);
    const names = columns.map(([name]) => `"${name}"`).join(', ');
    const typed = columns.map(([name, spec]) => `"${name}" ${columnTypes.postgres[kindOf(spec)]}`).join(', ');
    await this.execution({
      sql: `insert into "${table}" (${names})
        select ${names} from jsonb_to_recordset($1::jsonb) as item(${typed}) ${otherwise}`,
      parameters: [JSON.stringify(rowsWithin(this.workspace, table, rows))],
      prepare: true,
      merges,
    });
  }

  async lock(
    table: 'flow_run' | 'task_run' | 'deployment' | 'work_pool' | 'block_document',
    id: string,
  ): Promise<void> {
    await this.execution({
      sql: `select 1 from "${table}" where "workspace" = $1 and id = $2 for update`,
      parameters: [this.workspace, id],
      prepare: true,
    });
  }

  alone(): void {
    if (this.#isPart) throw new NeedsOwnCommit();
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  later(change: Promise<unknown>): void {
    this.#track(change).catch(() => {});
  }

  /** Sends what has not been sent, and refuses later queries, which would run after the commit. */
  end(): void {
    this.#ended = true;
    this.#merged.flush();
  }

  /** Resolves when every query that the work started has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #execute(query: BoundQuery): Promise<Result> {
    if (!isRead(query)) this.#isClean = false;
    if (query.merges) return this.#merged.add(query);
    this.#merged.flush();
    return this.#send(query);
  }

  #track<T>(query: Promise<T>): Promise<T> {
    this.#pending.add(query);
    query.then(
      () => this.#pending.delete(query),
      (error: unknown) => {
        this.#isClean = false;
        this.#failure ??= error;
      },
    );
    return query;
  }
}

/** A statement that begins otherwise may write. */
function isRead({ sql }: BoundQuery): boolean {
  return sql.startsWith('select ');
}
