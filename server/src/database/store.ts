/**
 * The interface of the database for the rest of the server. A `Db` reads rows of one workspace, a `Tx` also changes
 * them. A `PlatformDb` and a `PlatformTx` do the same for what belongs to the server and to no workspace:
 * organizations, users, keys, MCP servers, the workspaces themselves. Both databases stand behind these interfaces.
 *
 * Errors: a violated unique or foreign key is an `IntegrityConflict`; a database that cannot be reached, is full or
 * shuts down is `Unavailable`. Anything else is a bug.
 */
import type { SqlDialect } from './dialect/dialect.ts';
import type { PlatformStatement, Query, Statement } from './statement.ts';
import type { NewRow, PlatformTable, TableName } from './tables/tables.ts';

/** Statements without parameters of their own are asked without an argument. */
type Arguments<P> = Record<string, never> extends P ? [parameters?: P] : [parameters: P];

export interface PlatformDb {
  readonly dialect: SqlDialect;
  all<P, R>(statement: PlatformStatement<P, R>, ...parameters: Arguments<P>): Promise<R[]>;
  first<P, R>(statement: PlatformStatement<P, R>, ...parameters: Arguments<P>): Promise<R | undefined>;
}

/** Accepts statements of the platform too. */
export interface Db extends PlatformDb {
  /** Key of the workspace that every query is confined to. */
  readonly workspace: number;
  /** Rows of lists have marks in the place of large values; see `large-values.ts`. */
  readonly leavesLargeValues?: boolean;
  all<P, R>(statement: Statement<P, R>, ...parameters: Arguments<P>): Promise<R[]>;
  first<P, R>(statement: Statement<P, R>, ...parameters: Arguments<P>): Promise<R | undefined>;
  /**
   * Runs a query whose shape the request chose. Where only a few shapes are possible, `recurs` lets PostgreSQL keep its
   * plan, which for a long statement costs more than running it.
   */
  query<R>(query: Query<R>, options?: { readonly recurs?: boolean }): Promise<R[]>;
}

export interface PlatformTx extends PlatformDb {
  /** Runs a change and answers how many rows it touched. */
  run<P>(statement: PlatformStatement<P, unknown>, ...parameters: Arguments<P>): Promise<number>;
  /**
   * Inserts many rows, the way that costs the database least: a prepared statement run for each on SQLite (taking a row
   * out of JSON costs four times as much), one statement on PostgreSQL. `otherwise` handles a row that
   * already exists: SQL that both databases read, `on conflict …`.
   */
  insertAll<Name extends PlatformTable>(table: Name, rows: readonly NewRow<Name>[], otherwise?: string): Promise<void>;
  /**
   * The transaction waits for `change`, and fails with it, but the work need not: it may end before, and the commit
   * travels with what was asked last. All queries of `change` must have been asked when it is handed over.
   */
  later(change: Promise<unknown>): void;
  /** Runs once the transaction is durable, and never when it is not. Must not throw. */
  afterCommit(effect: () => void): void;
}

export interface Tx extends Db, PlatformTx {
  all: Db['all'];
  first: Db['first'];
  run<P>(statement: Statement<P, unknown>, ...parameters: Arguments<P>): Promise<number>;
  execute(query: Query<unknown>): Promise<number>;
  /** As on the platform; rows of a workspace's table are put into this one. */
  insertAll<Name extends TableName>(table: Name, rows: readonly NewRow<Name>[], otherwise?: string): Promise<void>;
  /**
   * Keeps other transactions from changing a row until this one ends; nothing where there is one writer anyway. What
   * depends on the row is read by a later statement: the one that waits for the lock would see joined rows as they were.
   */
  lock(table: 'flow_run' | 'task_run' | 'deployment' | 'work_pool' | 'block_document', id: string): Promise<void>;
}

export type Durability =
  /** On disk when it is acknowledged. */
  | 'disk'
  /** Survives the end of this process by any signal; the database may write it out a moment later. */
  | 'process';

/** The caller that the store works for; absent: the server itself. */
export interface Requester {
  /** Aborts when the caller has gone: a read is cancelled, and a write that has not begun never begins. */
  readonly signal?: AbortSignal;
  /**
   * Requests with the same text share the time of the database, so any number of them leaves room for others. Default:
   * the workspace, or the platform.
   */
  readonly share?: string;
  /** Within the share, callers take turns. Absent: the server itself. */
  readonly caller?: string;
  /** For background services: they may take longer than a request, and take no connection away from requests. */
  readonly background?: boolean;
}

/** How long and by how many at once a store is used. */
export interface StoreLimits {
  /** For one query of a request; background services have ten times as long. 0 means no limit, of this and the next. */
  readonly timeoutSeconds: number;
  /** For a row that another transaction holds. */
  readonly lockSeconds: number;
  /** For requests. */
  readonly connections: number;
  /** False where no commit of SQLite waits for the disk: for tests that do not cut the power. */
  readonly durable?: boolean | undefined;
}

/** The share of the platform: every request reads its caller there. */
export const PLATFORM_SHARE = 'platform';

/** What a query is confined to; undefined on the platform. */
export type Scope = number | undefined;

export function shareOf(scope: Scope, { share }: Requester): string {
  return share ?? (scope === undefined ? PLATFORM_SHARE : String(scope));
}

export const NO_LIMITS: StoreLimits = { timeoutSeconds: 0, lockSeconds: 0, connections: 10 };

/** What belongs to the server and to no workspace. */
export interface PlatformStore {
  /** Reads that see every write acknowledged before they were asked. */
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
  /** Reads of one workspace, as `PlatformStore.reads`. */
  reads(workspace: number, requester?: Requester): Db;
  /** As `PlatformStore.transaction`, for one workspace. */
  transaction<T>(
    workspace: number,
    work: (tx: Tx) => Promise<T>,
    durability?: Durability,
    requester?: Requester,
  ): Promise<T>;
  /**
   * Microseconds since 1970 by the clock that all processes on the database share. Absent where there is one process, whose
   * own clock serves.
   */
  readonly sharedTime?: () => Promise<number>;
  /**
   * A number that changes with each commit, of this process or another one; it costs as much as the smallest query. Absent
   * where only a query over the network could tell.
   */
  readonly commitMark?: () => number;
  /** Lets the planner know how large the tables have become; cheap when nothing changed much. */
  refreshStatistics(): Promise<void>;
  /** True when the database takes writes: one is made to find out, at most once a second. */
  takesWrites(): Promise<boolean>;
  /** The space that the database takes. */
  size(): Promise<DatabaseSize>;
  /** The bytes of each table with its indexes. Reads the whole file of an SQLite database, so only operators ask. */
  tableSizes(): Promise<ReadonlyMap<string, number>>;
  /**
   * Continues what migrations leave for after the start: see `LaterWork`. Returns whether more is left that can be done
   * at once.
   */
  continueUpgrade(): Promise<boolean>;
  /**
   * Returns part of the free space of an SQLite file to the disk when there is much of it. Takes a few milliseconds and
   * returns whether more is left. Does nothing on PostgreSQL, which keeps free space for new rows.
   */
  releaseSpace(): Promise<boolean>;
  /** Writes the database anew without the space that deleted rows left. Nobody else may use an SQLite database then. */
  vacuum(): Promise<void>;
  /** Waits for queries under way and closes. */
  close(): Promise<void>;
}

export interface DatabaseSize {
  /** On its disk, with what is not in the main file yet. */
  readonly bytes: number;
  /** Of them, what new rows can take before the file grows; undefined where the database does not tell. */
  readonly freeBytes: number | undefined;
}

/** A connection as migrations see it: SQL text, no scope. */
export interface RawConnection {
  execute(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}
