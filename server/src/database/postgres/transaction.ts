import type pg from 'pg';
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

export type Result = pg.QueryResult<Record<string, unknown>>;

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

/** Statements of one transaction, in the order in which they were given. */
export class PostgresTx<S extends Scope> extends PostgresReads<S> {
  readonly #effects: (() => void)[];
  readonly #pending = new Set<Promise<unknown>>();
  #ended = false;

  constructor(workspace: S, execution: Run, effects: (() => void)[]) {
    super(workspace, (query) => {
      if (this.#ended) throw new Error('This transaction has ended.');
      return this.#track(execution(query));
    });
    this.#effects = effects;
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
    { merges = false }: StatementOptions = {},
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

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  later(change: Promise<unknown>): void {
    this.#track(change).catch(() => {});
  }

  /** Refuses later queries, which would run after the commit. */
  end(): void {
    this.#ended = true;
  }

  /** Resolves when every query that the work started has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #track<T>(query: Promise<T>): Promise<T> {
    this.#pending.add(query);
    query.then(
      () => this.#pending.delete(query),
      () => {},
    );
    return query;
  }
}
