import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { BoundedMap } from '../../values/bounded-map.ts';
import { jsonOfRow } from '../lists/json-rows.ts';
import { translateError } from './errors.ts';
import { type Row, Rows } from './rows.ts';

const STATEMENT_CACHE_SIZE = 500;

interface Prepared {
  readonly statement: StatementSync;
  readonly rows: Rows;
}

/** One connection with a bounded cache of prepared statements, least recently used out first. */
export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly #prepared = new BoundedMap<string, Prepared>({ name: 'statements', most: STATEMENT_CACHE_SIZE });
  readonly #dataVersion: StatementSync;

  constructor(file: string, options: { readOnly: boolean }) {
    this.database = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 5000 });
    this.database.exec('pragma foreign_keys = on');
    this.database.exec('pragma temp_store = memory');
    this.database.exec('pragma cache_size = -16000');
    this.#dataVersion = this.database.prepare('pragma data_version');
    // This runs at every request, and an object for its row would cost as much as the rest.
    this.#dataVersion.setReturnArrays(true);
  }

  all(sql: string, parameters: readonly unknown[]): Row[] {
    try {
      const { statement, rows } = this.#prepare(sql);
      return rows.of(statement.all(...bindable(parameters)) as unknown as unknown[][]);
    } catch (error) {
      throw translateError(error);
    }
  }

  first(sql: string, parameters: readonly unknown[]): Row | undefined {
    try {
      const { statement, rows } = this.#prepare(sql);
      const found = statement.get(...bindable(parameters)) as unknown as unknown[] | undefined;
      return found && rows.of([found])[0];
    } catch (error) {
      throw translateError(error);
    }
  }

  /** The JSON array of rows with the columns of `jsonRows`. */
  json(sql: string, parameters: readonly unknown[]): string {
    try {
      const found = this.#prepare(sql).statement.all(...bindable(parameters)) as unknown as unknown[][];
      return `[${found.map(jsonOfRow).join()}]`;
    } catch (error) {
      throw translateError(error);
    }
  }

  /** A number that changes with each commit of another connection, of this process or another one. */
  dataVersion(): number {
    try {
      const [version] = this.#dataVersion.get() as unknown as [number];
      return version;
    } catch (error) {
      throw translateError(error);
    }
  }

  run(sql: string, parameters: readonly unknown[]): number {
    try {
      return Number(this.#prepare(sql).statement.run(...bindable(parameters)).changes);
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Runs a change once for each row, with its `columns` as parameters. */
  runEach<Row extends object>(sql: string, columns: readonly (keyof Row)[], rows: readonly Row[]): void {
    try {
      const { statement } = this.#prepare(sql);
      const values: SQLInputValue[] = columns.map(() => null);
      for (const row of rows) {
        for (let index = 0; index < columns.length; index++) values[index] = bindableValue(row[columns[index]!]);
        statement.run(...values);
      }
    } catch (error) {
      throw translateError(error);
    }
  }

  exec(sql: string): void {
    try {
      this.database.exec(sql);
    } catch (error) {
      throw translateError(error);
    }
  }

  close(): void {
    this.#prepared.clear();
    this.database.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    // SQLite uses a bound limit in its plan, and plans again each time one is bound. It ignores the value of an
    // expression.
    const statement = this.database.prepare(sql.replace(/\blimit \?/gi, 'limit +?'));
    const prepared = { statement, rows: new Rows(statement) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map(bindableValue);
}

function bindableValue(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value as SQLInputValue;
}
