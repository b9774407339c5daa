import type { Writable } from 'node:stream';
import pg from 'pg';
import { IntegrityConflict, Unavailable } from '../errors.ts';
import type { Timestamp } from '../time.ts';
import { postgresDialect } from './dialect-postgres.ts';
import { type BoundQuery, compileQuery, type Query, type Statement } from './statement.ts';
import type { Db, Durability, RawConnection, Store, Tx } from './store.ts';
import { type ColumnSpec, columnTypes, kindOf, type NewRow, rowsWithin, type TableName, tables } from './tables.ts';

const POOL_SIZE = 10;
/**
 * Rows are read by their keys from memory or a solid-state disk, so a page of 200 runs is looked up and not found by
 * reading the whole table, as the default price of a random read suggests. Compiling a plan costs more than it saves here.
 */
const SESSION = '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c random_page_cost=1.1 -c jit=off';
/** The commit does not wait for the disk. Source: https://www.postgresql.org/docs/current/wal-async-commit.html */
const BEGIN_RELAXED = 'begin; set local synchronous_commit = off';
const CONNECT_TIMEOUT_MILLISECONDS = 5000;
/** After so many commits, and each time after four times as many, tables that were never analyzed are looked for. */
const FIRST_REFRESH = 64;

/** Type numbers of PostgreSQL's catalogue (pg_type.oid) that the driver does not decode as the rows have them. */
const types = new Map<number, (text: string) => unknown>([
  [20 /* bigint */, Number],
  [1700 /* numeric */, Number],
  [1184 /* timestamptz */, decodeTimestamp],
]);

/** The session runs in UTC, so the text is `2026-11-20 15:59:20.43176+00` with trailing zeros of the fraction cut. */
function decodeTimestamp(text: string): Timestamp {
  const fraction = text.charAt(19) === '.' ? text.slice(20, text.length - 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z` as Timestamp;
}

/** A PostgreSQL database: a transaction per operation, rows locked where two replicas could meet. */
export class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();
  #commits = 0;
  #nextRefresh = FIRST_REFRESH;

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
      application_name: 'signalbox',
      // Queries of a transaction that do not wait for each other travel together.
      pipeline: true,
      options: SESSION,
      types: {
        getTypeParser: ((oid: number, format: 'text') =>
          types.get(oid) ?? pg.types.getTypeParser(oid, format)) as never,
      },
    });
    // A connection that breaks while idle leaves the pool; the next request opens another.
    this.#pool.on('error', () => {});
  }

  reads(workspace: number): Db {
    return new PostgresReads(workspace, (query) => this.#run(this.#pool, query));
  }

  async transaction<T>(workspace: number, work: (tx: Tx) => Promise<T>, durability: Durability = 'disk'): Promise<T> {
    const client = await this.#connect();
    const effects: (() => void)[] = [];
    const run = (query: BoundQuery) => {
      sendTogether(client);
      return this.#run(client, query);
    };
    const tx = new PostgresTx(workspace, run, effects);
    let broken: Error | undefined;
    try {
      sendTogether(client);
      const begun = client.query(durability === 'disk' ? 'begin' : BEGIN_RELAXED);
      // Its failure is seen below, unless the work fails first; then nobody waits for it.
      begun.catch(() => {});
      const value = await work(tx);
      tx.end();
      sendTogether(client);
      // Where something failed, the commit is a rollback.
      const committed = client.query('commit');
      committed.catch(() => {});
      await begun;
      await tx.settled();
      await committed;
      for (const effect of effects) effect();
      this.#countCommit();
      return value;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw translateError(error);
    } finally {
      // A connection that could not roll back is closed instead of being lent again.
      client.release(broken);
    }
  }

  get raw(): RawConnection {
    return {
      execute: async (sql, parameters = []) =>
        (await this.#pool.query(sql, [...parameters])).rows as Record<string, unknown>[],
    };
  }

  /**
   * Tables that were filled and never analyzed, as after a restore and in the first minute of a new database: until
   * PostgreSQL gets to it by itself, its planner takes them for empty, finds every index as good as another, and may
   * look a run up by its id in one that is read from end to end.
   */
  async refreshStatistics(): Promise<void> {
    const { rows } = await this.#pool.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples < 0 and pg_relation_size(oid) > 0`,
    );
    if (rows.length > 0) await this.#pool.query(`analyze ${rows.map(({ name }) => name).join(', ')}`);
  }

  /** New tables fill with what is written, so writes say when it is time to look. */
  #countCommit(): void {
    if (++this.#commits < this.#nextRefresh) return;
    this.#nextRefresh *= 4;
    // It speeds others up and nobody waits for it; the next try comes by itself.
    this.refreshStatistics().catch(() => {});
  }

  async ping(): Promise<boolean> {
    try {
      await this.#pool.query('select 1');
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new Unavailable('The database cannot be reached.', { cause: error });
    }
  }

  async #run(target: pg.Pool | pg.PoolClient, query: BoundQuery): Promise<pg.QueryResult<Record<string, unknown>>> {
    try {
      return await target.query({
        text: query.sql,
        values: query.parameters as unknown[],
        ...(query.prepare ? { name: this.#nameOf(query.sql) } : {}),
      });
    } catch (error) {
      throw translateError(error);
    }
  }

  #nameOf(sql: string): string {
    let name = this.#names.get(sql);
    if (!name) {
      name = `s${this.#names.size}`;
      this.#names.set(sql, name);
    }
    return name;
  }
}

/**
 * What is asked on a connection in one turn of the event loop leaves in one write: the driver by itself makes a system
 * call for each query, and the server wakes up for each.
 */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

type Run = (query: BoundQuery) => Promise<pg.QueryResult<Record<string, unknown>>>;

class PostgresReads implements Db {
  readonly dialect = postgresDialect;
  readonly workspace: number;
  protected readonly execution: Run;

  constructor(workspace: number, execution: Run) {
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

class PostgresTx extends PostgresReads implements Tx {
  readonly #effects: (() => void)[];
  readonly #pending = new Set<Promise<unknown>>();
  #ended = false;

  constructor(workspace: number, execution: Run, effects: (() => void)[]) {
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

  async insertAll<Name extends TableName>(table: Name, rows: readonly NewRow<Name>[], otherwise = ''): Promise<void> {
    if (rows.length === 0) return;
    const columns = Object.entries<ColumnSpec>(tables[table]);
    const names = columns.map(([name]) => `"${name}"`).join(', ');
    const typed = columns.map(([name, spec]) => `"${name}" ${columnTypes.postgres[kindOf(spec)]}`).join(', ');
    await this.execution({
      sql: `insert into "${table}" (${names})
        select ${names} from jsonb_to_recordset($1::jsonb) as item(${typed}) ${otherwise}`,
      parameters: [JSON.stringify(rowsWithin(this.workspace, table, rows))],
      prepare: true,
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
    void this.#track(change);
  }

  /** What is asked after the end would come after the commit. */
  end(): void {
    this.#ended = true;
  }

  /** Resolves when everything that the work started has ended. */
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

/** Codes of PostgreSQL's errors, class 23: integrity; 08 and 57P0x: connection; 53: resources; 40: try again. */
function translateError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return error;
  if (code === '23505' || code === '23503') return new IntegrityConflict();
  if (/^(08|53|57P0|40)/.test(code) || /^(ECONN|EPIPE|ETIMEDOUT)/.test(code)) {
    return new Unavailable('The database cannot take the request now.', { cause: error });
  }
  return error;
}
