/**
 * Queries of a fixed shape, compiled once per database. Compiling with Kysely costs 10 to 40 µs, running a compiled
 * statement on a warm connection 4 to 25 µs, so a query of every request is a `statement`; only filters, whose shape the
 * caller chooses, are compiled each time.
 */
import { channel } from 'node:diagnostics_channel';
import type { Compilable, CompiledQuery, RawBuilder } from 'kysely';
import type { Builder, SqlDialect } from './dialect/dialect.ts';
import { columnsOf, type TableName, type Tables } from './tables/tables.ts';

/** SQL with its values, ready to bind. */
export interface BoundQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The text recurs and is worth a prepared statement. */
  readonly prepare: boolean;
  /**
   * The query may read a whole table, however quick it was the last time: on SQLite it never runs on the main thread.
   */
  readonly readsMuch?: boolean;
  readonly merges?: Merges | undefined;
}

type Merges = 'uncounted' | 'counted';

export interface StatementOptions {
  /**
   * True for a write that PostgreSQL may run as a part of one statement, with others of its transaction that are sent
   * together: it touches no row that those write, and returns none. Only if it is `counted` does it tell the number of
   * rows.
   */
  readonly merges?: Merges;
}

/** Parameters that every statement gets besides its own. */
interface Given {
  workspace: number;
}

/** The rows that a query sees: those of one workspace, or, if it is undefined, those of the platform. */
interface Scope {
  readonly workspace: number | undefined;
}

/** A query of a fixed shape with named parameters `P` (`workspace` is added by the store) and rows `R`. */
export interface Statement<P, R> {
  bind(dialect: SqlDialect, parameters: P, scope: Scope): BoundQuery;
  /** Never set; carries the row type. */
  readonly rowType?: R;
}

/** A statement about objects above workspaces; it also runs in the scope of the platform. */
export interface PlatformStatement<P, R> extends Statement<P, R> {
  readonly isOfPlatform: true;
}

/** The source of a query: a Kysely builder or a raw fragment. */
export type Query<R> = Compilable<R> | RawBuilder<R>;

/** Publishes each statement as it is declared, so that a test can prepare all of them on both databases. */
const declarations = channel('signalbox:statement');

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  readonly sql: string;
  /** Parameter positions: the name of a parameter, or a constant. */
  readonly slots: readonly (Placeholder | { readonly constant: unknown })[];
}

/**
 * Declares a statement. `build` runs once per database with placeholders in place of values, so it must not read them:
 * no conditions on a parameter, no arithmetic; `dialect` supplies the SQL that differs between databases.
 */
export function statement<P, R>(
  build: (query: Builder, parameters: P & Given, dialect: SqlDialect) => Query<R>,
  options?: StatementOptions,
): Statement<P, R> {
  return declare(build, assertScoped, options);
}

/**
 * A statement about objects above workspaces (organizations, users, keys, the workspaces themselves). It states its own
 * scope, which nothing checks, so only `identity/`, `platform/`, `mcp/` and `database/` may declare one
 * (server/test/conformance/platform-statements.test.ts).
 */
export function platformStatement<P, R>(
  build: (query: Builder, parameters: P, dialect: SqlDialect) => Query<R>,
): PlatformStatement<P, R> {
  return { ...declare(build, () => {}), isOfPlatform: true };
}

/** A platform statement whose shape depends on the request; compiled each time, with its values. */
export function platformQuery<P, R>(
  build: (query: Builder, parameters: P, dialect: SqlDialect) => Query<R>,
  { readsMuch = false }: Pick<BoundQuery, 'readsMuch'> = {},
): PlatformStatement<P, R> {
  return {
    isOfPlatform: true,
    bind(dialect, given) {
      const { sql, parameters } = compile(build(dialect.builder, given, dialect), dialect);
      return { sql, parameters, prepare: false, readsMuch };
    },
  };
}

function declare<P, R>(
  build: (query: Builder, parameters: P & Given, dialect: SqlDialect) => Query<R>,
  assertConfined: (sql: string) => void,
  { merges }: StatementOptions = {},
): Statement<P, R> {
  const compiled = new Map<string, Compiled>();
  const placeholders = new Proxy({} as Record<string, Placeholder>, {
    get: (target, name: string) => {
      target[name] ??= new Placeholder(name);
      return target[name];
    },
  });
  const declared: Statement<P, R> = {
    bind(dialect, parameters, scope) {
      let plan = compiled.get(dialect.name);
      if (!plan) {
        const query = compile(build(dialect.builder, placeholders as unknown as P & Given, dialect), dialect);
        assertConfined(query.sql);
        plan = {
          sql: query.sql,
          slots: query.parameters.map((value) => (value instanceof Placeholder ? value : { constant: value })),
        };
        compiled.set(dialect.name, plan);
      }
      const values = parameters as Record<string, unknown>;
      const { sql, slots } = plan;
      return {
        sql,
        parameters: slots.map((slot) => {
          if (!(slot instanceof Placeholder)) return slot.constant;
          return slot.name === 'workspace' ? workspaceOf(scope, sql) : values[slot.name];
        }),
        prepare: true,
        merges,
      };
    },
  };
  if (declarations.hasSubscribers) declarations.publish(declared);
  return declared;
}

function workspaceOf({ workspace }: Scope, sql: string): number {
  if (workspace === undefined) throw new Error(`This query needs a workspace, but runs for the platform: ${sql}`);
  return workspace;
}

/** A query whose shape depends on the request; compiled each time. `recurs` means that there are few such shapes. */
export function compileQuery<R>(query: Query<R>, dialect: SqlDialect, recurs = false): BoundQuery {
  const { sql, parameters } = compile(query, dialect);
  assertScoped(sql);
  return { sql, parameters, prepare: recurs };
}

function compile<R>(query: Query<R>, dialect: SqlDialect): CompiledQuery<R> {
  return 'isRawBuilder' in query ? query.compile(dialect.builder) : query.compile();
}

/** Inside a statement: every column of `table` bound to the parameter of the same name. */
export function rowOf<Name extends TableName>(table: Name, parameters: object): Tables[Name] {
  const values = parameters as Record<string, unknown>;
  return Object.fromEntries(columnsOf(table).map((column) => [column, values[column]])) as Tables[Name];
}

/**
 * A query that does not name the workspace column could see rows of other tenants: it is a bug, and it does not run.
 */
function assertScoped(sql: string): void {
  if (!sql.includes('"workspace"')) throw new Error(`This query does not restrict its rows to a workspace: ${sql}`);
}
