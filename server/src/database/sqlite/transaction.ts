import { sqliteDialect } from '../dialect/sqlite.ts';
import { compileQuery, type Query, type Statement } from '../statement.ts';
import type { Scope } from '../store.ts';
import { columnsOf, type NewRow, rowsWithin, type TableName } from '../tables/tables.ts';
import type { SqliteConnection } from './connection.ts';

const inserts = new Map<string, string>();

function insertOf(table: TableName, otherwise: string): string {
  const key = `${table} ${otherwise}`;
  const known = inserts.get(key);
  if (known) return known;
  const columns = columnsOf(table);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const insert = `insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')}) ${otherwise}`;
  inserts.set(key, insert);
  return insert;
}

/** Statements of one transaction on the writing connection. */
export class SqliteTx<S extends Scope> {
  readonly dialect = sqliteDialect;
  readonly workspace: S;
  readonly #effects: (() => void)[];
  readonly #later: Promise<unknown>[] = [];
  #connection: SqliteConnection | undefined;

  constructor(workspace: S, connection: SqliteConnection, effects: (() => void)[]) {
    this.workspace = workspace;
    this.#connection = connection;
    this.#effects = effects;
  }

  async all<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R[]> {
    const bound = statement.bind(this.dialect, (parameters ?? {}) as P, this);
    return this.#open.all(bound.sql, bound.parameters) as R[];
  }

  async first<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R | undefined> {
    const bound = statement.bind(this.dialect, (parameters ?? {}) as P, this);
    return this.#open.first(bound.sql, bound.parameters) as R | undefined;
  }

  async query<R>(query: Query<R>): Promise<R[]> {
    const bound = compileQuery(query, this.dialect);
    return this.#open.all(bound.sql, bound.parameters) as R[];
  }

  async run<P>(statement: Statement<P, unknown>, ...[parameters]: [parameters?: P]): Promise<number> {
    const bound = statement.bind(this.dialect, (parameters ?? {}) as P, this);
    return this.#open.run(bound.sql, bound.parameters);
  }

  async execute(query: Query<unknown>): Promise<number> {
    const bound = compileQuery(query, this.dialect);
    return this.#open.run(bound.sql, bound.parameters);
  }

  async insertAll<Name extends TableName>(table: Name, rows: readonly NewRow<Name>[], otherwise = ''): Promise<void> {
    if (rows.length === 0) return;
    const columns = columnsOf(table);
    this.#open.runEach(insertOf(table, otherwise), columns, rowsWithin(this.workspace, table, rows));
  }

  async lock(): Promise<void> {}

  alone(): void {}

  later(change: Promise<unknown>): void {
    change.catch(() => {});
    this.#later.push(change);
  }

  async settled(): Promise<void> {
    for (const change of this.#later) await change;
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** Refuses later queries, which would run in another job's transaction. */
  end(): void {
    this.#connection = undefined;
  }

  get #open(): SqliteConnection {
    if (!this.#connection) throw new Error('This transaction has ended.');
    return this.#connection;
  }
}
