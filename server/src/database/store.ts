/**
 * The interface of the database for the rest of the server. A `Db` reads rows of one workspace, a `Tx` also changes
 * them. A `PlatformDb` and a `PlatformTx` do the same for data that belongs to the server and to no workspace:
 * organizations, users, keys, MCP servers, the workspaces themselves. Both databases implement these interfaces.
 *
 * Errors: a violated unique or foreign key is an `IntegrityConflict`; a database that is unreachable, full or shutting
 * down is `Unavailable`. Anything else is a bug.
 */
import type { JsonText } from '../values/json.ts';
import type { SqlDialect } from './dialect/dialect.ts';
import type { Look } from './kept-facts.ts';
import type { Partitions } from './partitions.ts';
import type { ReplicaFeed, Siblings } from './replica-feed.ts';
import type { PlatformStatement, Query, Statement, StatementOptions } from './statement.ts';
import type { NewRow, PlatformTable, TableName } from './tables/tables.ts';

/** Statements without parameters of their own are called without an argument. */
type Arguments<P> = Record<string, never> extends P ? [parameters?: P] : [parameters: P];

export interface PlatformDb {
  readonly dialect: SqlDialect;
  all<P, R>(statement: PlatformStatement<P, R>, ...parameters: Arguments<P>): Promise<R[]>;
  first<P, R>(statement: PlatformStatement<P, R>, ...parameters: Arguments<P>): Promise<R | undefined>;
}

/** Also accepts statements of the platform. */
export interface Db extends PlatformDb {
  /** Key of the workspace to which every query is confined. */
  readonly workspace: number;
  /** If true, rows of lists have marks in place of large values; see `large-values.ts`. */
  readonly leavesLargeValues?: boolean;
  all<P, R>(statement: Statement<P, R>, ...parameters: Arguments<P>): Promise<R[]>;
  first<P, R>(statement: Statement<P, R>, ...parameters: Arguments<P>): Promise<R | undefined>;
  /**
   * Runs a query whose shape the request chose. If only a few shapes are possible, `recurs` lets PostgreSQL keep its
   * plan; planning a long statement costs more than running it.
   */
  query<R>(query: Query<R>, options?: { readonly recurs?: boolean }): Promise<R[]>;
  /**
   * The JSON array of the rows of a query that selects the columns of `jsonRows`. Absent where the dialect does not
   * write JSON, and in transactions.
   */
  listJson?(query: Query<unknown>): Promise<JsonText>;
}

export interface PlatformTx extends PlatformDb {
  /** Runs a change and returns the number of changed rows. */
  run<P>(statement: PlatformStatement<P, unknown>, ...parameters: Arguments<P>): Promise<number>;
  /**
   * Inserts many rows in the cheapest way for the database: a prepared statement run for each on SQLite (taking a row
   * out of JSON costs four times as much), one statement on PostgreSQL. `otherwise` handles a row that already exists:
   * SQL that both databases read, `on conflict …`.
   */
  insertAll<Name extends PlatformTable>(
    table: Name,
    rows: readonly NewRow<Name>[],
    otherwise?: string,
    options?: StatementOptions,
  ): Promise<void>;
  /**
   * Makes the transaction wait for `change` and fail with it. The work itself may end before, and the commit travels
   * with the last query. All queries of `change` must have been sent before this call.
   */
  later(change: Promise<unknown>): void;
  /** Runs once the transaction is durable, and never if it fails. `effect` must not throw. */
  afterCommit(effect: () => void): void;
}

export interface Tx extends Db, PlatformTx {
  all: Db['all'];
  first: Db['first'];
  run<P>(statement: Statement<P, unknown>, ...parameters: Arguments<P>): Promise<number>;
  execute(query: Query<unknown>): Promise<number>;
  /** Like `PlatformTx.insertAll`; rows of a workspace's table are inserted into this one. */
  insertAll<Name extends TableName>(
    table: Name,
    rows: readonly NewRow<Name>[],
    otherwise?: string,
    options?: StatementOptions,
  ): Promise<void>;
  /**
   * Prevents other transactions from changing a row until this one ends; does nothing on a database with one writer.
   * Read what depends on the row with a later statement: the one that waits for the lock would see joined rows in their
   * earlier state.
   */
  lock(table: 'flow_run' | 'task_run' | 'deployment' | 'work_pool' | 'block_document', id: string): Promise<void>;
  /**
   * Call it before the transaction locks rows besides those that it named: one that shares its commit begins anew by
   * itself, so that two groups never wait for each other.
   */
  alone(): void;
}

export type Durability =
  /** On disk when the commit is acknowledged. */
  | 'disk'
  /** Survives the end of this process by any signal; the database may write it to disk a moment later. */
  | 'process';

/** The caller for whom the store works; absent: the server itself. */
export interface Requester {
  /** Aborts when the caller has gone: a read is cancelled, and a write that has not begun does not begin. */
  readonly signal?: AbortSignal;
  /**
   * Requests with the same text share the time of the database, so many of them leave room for others. Default: the
   * workspace, or the platform.
   */
  readonly share?: string;
  /** Within the share, callers take turns. Absent: the server itself. */
  readonly caller?: string;
  /** True for background services: they may take longer than a request, and use connections of their own. */
  readonly background?: boolean;
}

/** Limits for the time and the number of connections of a store. */
export interface StoreLimits {
  /**
   * Limit for one query of a request; background services have ten times as long. 0 means no limit, here and in the
   * next.
   */
  readonly timeoutSeconds: number;
  /** Limit for the wait for a row that another transaction holds. */
  readonly lockSeconds: number;
  /** Connections for requests. */
  readonly connections: number;
  /** Address at which notifications of PostgreSQL arrive; empty for that of the database. */
  readonly listenUrl?: string;
  /** The other processes of this server; undefined if it is one process. */
  readonly siblings?: Siblings | undefined;
  /** False if commits of SQLite do not wait for the disk: for tests that do not simulate a power failure. */
  readonly durable?: boolean | undefined;
}

/** The share of the platform, in which every request reads its caller. */
export const PLATFORM_SHARE = 'platform';

/** The workspace to which a query is confined; undefined on the platform. */
export type Scope = number | undefined;

export function shareOf(scope: Scope, { share }: Requester): string {
  return share ?? (scope === undefined ? PLATFORM_SHARE : String(scope));
}

export const NO_LIMITS: StoreLimits = { timeoutSeconds: 0, lockSeconds: 0, connections: 10 };

/** The store of data that belongs to the server and to no workspace. */
export interface PlatformStore {
  /** Reads that see every write acknowledged before they were sent. */
  reads(requester?: Requester): PlatformDb;
  /**
   * Runs `work` in a transaction and resolves when it is durable; when `work` throws, nothing of it remains. Writes that
   * arrive together may share one commit, so `work` must wait for nothing but this transaction's queries.
   */
  transaction<T>(work: (tx: PlatformTx) => Promise<T>, durability?: Durability, requester?: Requester): Promise<T>;
}

export interface Store {
  readonly dialect: SqlDialect;
  readonly platform: PlatformStore;
  /** Reads of one workspace, like `PlatformStore.reads`. */
  reads(workspace: number, requester?: Requester): Db;
  /** Like `PlatformStore.transaction`, for one workspace. */
  transaction<T>(
    workspace: number,
    work: (tx: Tx) => Promise<T>,
    durability?: Durability,
    requester?: Requester,
  ): Promise<T>;
  /**
   * Like `transaction`, for frequent writes that lock one row, `locks`, or only insert: on PostgreSQL, those that arrive
   * together share a commit. `work` may run again after its first run was undone, so it must change nothing but the
   * database. Absent if all writes share commits.
   */
  sharedTransaction?<T>(
    workspace: number,
    locks: string,
    work: (tx: Tx) => Promise<T>,
    requester?: Requester,
  ): Promise<T>;
  /**
   * Microseconds since 1970 by the clock that all processes on the database share. Absent if there is one process,
   * which uses its own clock.
   */
  readonly sharedTime?: () => Promise<number>;
  /** Absent if retention deletes all rows in batches. */
  readonly partitions?: Partitions;
  /** Absent if there is one process. */
  readonly replicas?: ReplicaFeed;
  /** Notices a change of access by any process. */
  readonly accessLook: Look;
  /** Notices a commit of any process. Absent if that would take a query over the network. */
  readonly commitLook?: Look;
  /** Updates the planner's estimates of table sizes; cheap when little changed. */
  refreshStatistics(): Promise<void>;
  /** True when the database accepts writes. It is tested by a write, at most once a second. */
  takesWrites(): Promise<boolean>;
  /** The space that the database occupies. */
  size(): Promise<DatabaseSize>;
  /**
   * The bytes of each table with its indexes. Reads the whole file of an SQLite database, so only operators call it.
   */
  tableSizes(): Promise<ReadonlyMap<string, number>>;
  /**
   * Continues the work that migrations leave for after the start: see `LaterWork`. Returns whether more can be done
   * immediately.
   */
  continueUpgrade(): Promise<boolean>;
  /**
   * Returns part of the free space of an SQLite file to the disk when there is much of it. Takes a few milliseconds and
   * returns whether more is left. Does nothing on PostgreSQL, which keeps free space for new rows.
   */
  releaseSpace(): Promise<boolean>;
  /**
   * Rewrites the database without the space of deleted rows. No other process may use an SQLite database at that time.
   */
  vacuum(): Promise<void>;
  /** Waits for running queries and closes. */
  close(): Promise<void>;
}

export interface DatabaseSize {
  /** Bytes on disk, including the write-ahead log. */
  readonly bytes: number;
  /** The part of them that new rows can use before the file grows; undefined if the database does not report it. */
  readonly freeBytes: number | undefined;
}

/** A connection for migrations: SQL text, without a scope. */
export interface RawConnection {
  execute(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}
