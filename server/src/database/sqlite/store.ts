import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Unavailable } from '../../errors.ts';
import { inOwnRequest } from '../../fairness/foreign-work/request-work.ts';
import { MeasuredWork } from '../../fairness/turns.ts';
import type { JsonText } from '../../values/json.ts';
import { inBackground } from '../../watching/background.ts';
import { doing } from '../../watching/event-loop-watch.ts';
import { commits, reads } from '../../watching/telemetry.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';
import { migrations } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import { checkFolderOf } from '../open-problem.ts';
import { LaterWork } from '../schema/later-work.ts';
import { type BoundQuery, compileQuery, type Query, type Statement } from '../statement.ts';
import {
  type DatabaseSize,
  type Db,
  type Durability,
  type PlatformStore,
  type RawConnection,
  type Requester,
  type Scope,
  type Store,
  type StoreLimits,
  shareOf,
  type Tx,
} from '../store.ts';
import { WriteProbe } from '../write-probe.ts';
import { Checkpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { refusesWrites } from './errors.ts';
import { AccessLook, CommitLook } from './looks.ts';
import { SlowReads } from './slow-reads.ts';
import { SqliteSpace } from './space.ts';
import { SqliteTx } from './transaction.ts';
import { WriteGate } from './write-gate.ts';

/** At most this many writes share a commit, so that the first of them is answered soon enough. */
const MAX_GROUP = 512;
/**
 * The planner's statistics are refreshed after this many writes, ten times as many and so on: those of a few rows make it
 * read whole tables, which grow most after the first start.
 */
const FIRST_REFRESH_WRITES = 1000;

interface Job {
  readonly workspace: Scope;
  readonly work: (tx: SqliteTx<Scope>) => Promise<unknown>;
  readonly durability: Durability;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly effects: (() => void)[];
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

const PRIVATE = 0o600;

/**
 * The embedded database: one file in WAL mode, one writing connection, one for reads on the main thread, and
 * processes for reads that are or may be slow. `synchronous=FULL`: a commit is on disk before it is answered.
 */
export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly platform: PlatformStore = {
    reads: (requester = {}) => this.#reads(undefined, requester),
    transaction: (work, durability, requester) => this.#enqueue(undefined, work, durability, requester),
  };
  readonly accessLook: AccessLook;
  readonly commitLook: CommitLook;
  readonly #space: SqliteSpace;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #slowReads: SlowReads;
  readonly #gate: WriteGate;
  readonly #checkpoints: Checkpoints;
  readonly #probe = new WriteProbe((write) => this.platform.transaction((tx) => tx.run(write, {}), 'process'));
  readonly #queue: Job[] = [];
  #writing: Promise<void> | undefined;
  #writes = 0;
  #refreshAt = FIRST_REFRESH_WRITES;
  /** The durability to which the writing connection is set. */
  #durability: Durability | undefined;
  readonly #isDurable: boolean;
  #closed = false;

  readonly #later: LaterWork;

  constructor(
    file: string,
    { timeoutSeconds, durable = true }: Pick<StoreLimits, 'timeoutSeconds' | 'durable'>,
    known: readonly Migration[] = migrations,
  ) {
    this.#later = new LaterWork(this, known);
    checkFolderOf(file);
    makePrivate(file);
    this.#writer = new SqliteConnection(file, { readOnly: false });
    // Takes effect only in a new file, before the first write.
    this.#writer.exec('pragma auto_vacuum = incremental');
    this.#writer.exec('pragma journal_mode = wal');
    this.#gate = WriteGate.of(resolve(file));
    this.#checkpoints = new Checkpoints(file, this.#writer, this.#gate);
    this.#isDurable = durable;
    if (durable) this.#syncAs('disk');
    else this.#writer.exec('pragma synchronous = off');
    this.#reader = new SqliteConnection(file, { readOnly: true });
    this.accessLook = new AccessLook(this.#reader);
    this.commitLook = new CommitLook(this.#reader);
    this.#space = new SqliteSpace(file, this.#writer, this.#reader);
    this.#slowReads = new SlowReads(file, timeoutSeconds);
  }

  reads(workspace: number, requester: Requester = {}): Db {
    return this.#reads(workspace, requester);
  }

  transaction<T>(
    workspace: number,
    work: (tx: Tx) => Promise<T>,
    durability?: Durability,
    requester?: Requester,
  ): Promise<T> {
    return this.#enqueue(workspace, work, durability, requester);
  }

  #reads<S extends Scope>(workspace: S, requester: Requester): SqliteReads<S> {
    return new SqliteReads(workspace, requester, this.#reader, this.#slowReads);
  }

  #enqueue<T, S extends Scope>(
    workspace: S,
    work: (tx: SqliteTx<S>) => Promise<T>,
    durability: Durability = 'disk',
    { signal }: Requester = {},
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new Unavailable('The server is shutting down.'));
    if (signal?.aborted) return Promise.reject(new Unavailable('The client has disconnected.'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        workspace,
        work: inOwnRequest(work) as Job['work'],
        durability,
        resolve: resolve as (value: unknown) => void,
        reject,
        effects: [],
        outcome: undefined,
      });
      this.#writing ??= this.#drain();
    });
  }

  async size(): Promise<DatabaseSize> {
    return this.#space.size();
  }

  async tableSizes(): Promise<ReadonlyMap<string, number>> {
    return this.#space.tableSizes();
  }

  continueUpgrade(): Promise<boolean> {
    return this.#later.continue();
  }

  async releaseSpace(): Promise<boolean> {
    return this.#space.isPlenty() && this.#gate.alone(() => this.#space.release());
  }

  async vacuum(): Promise<void> {
    await this.#gate.alone(() => this.#space.vacuum());
  }

  /** Access for migrations, before the server accepts requests. */
  get raw(): RawConnection {
    return {
      execute: async (sql, parameters = []) => {
        if (parameters.length === 0 && !/^\s*(select|insert|pragma)/i.test(sql)) {
          this.#writer.exec(sql);
          return [];
        }
        return this.#writer.all(sql, parameters);
      },
    };
  }

  /**
   * Updates the planner's statistics for tables that changed much since the last time, from a sample of each. Source:
   * https://www.sqlite.org/lang_analyze.html, "Recommended usage patterns".
   */
  async refreshStatistics(): Promise<void> {
    await this.#gate.alone(() => {
      this.#writer.exec('pragma analysis_limit = 400');
      this.#optimize('= 0x10002');
      // Frees the memory of the samples.
      this.#writer.exec('pragma shrink_memory');
    });
  }

  takesWrites(): Promise<boolean> {
    return this.#probe.takesWrites();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await this.#checkpoints.close();
    this.#slowReads.close();
    this.#reader.close();
    try {
      this.#optimize('');
    } catch {
      // Statistics only affect speed, and a full disk must not prevent the server from stopping.
    }
    this.#writer.close();
    this.#gate.release();
  }

  /**
   * FTS5 keeps its index in tables of its own and reads them by their keys. Statistics from a time when such a table was
   * small would make it read the whole table for each merge of the index, so they say that it is large.
   */
  #optimize(flags: string): void {
    this.#writer.exec(`pragma optimize ${flags}`);
    const [statistics] = this.#writer.all("select name from sqlite_schema where name = 'sqlite_stat1'", []);
    if (!statistics) return;
    const change = `update sqlite_stat1 set stat = '1000000' where idx is null and stat <> '1000000'
      and tbl in (select name from pragma_table_list where type = 'shadow')`;
    // SQLite reads its statistics anew.
    if (this.#writer.run(change, []) > 0) this.#writer.exec('analyze sqlite_schema');
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Waits one turn of the event loop, so that requests that have arrived join this group.
      await new Promise(setImmediate);
      const group = this.#queue.splice(0, MAX_GROUP);
      await this.#gate.alone(() => this.#commitGroup(group));
      this.#writes += group.length;
      if (this.#writes < this.#refreshAt) continue;
      this.#refreshAt *= 10;
      // They only affect speed.
      await this.refreshStatistics().catch(() => {});
    }
    this.#writing = undefined;
  }

  async #commitGroup(group: readonly Job[]): Promise<void> {
    doing('a write to the database');
    const began = commits.begin();
    const turn = new MeasuredWork();
    try {
      this.#syncAs(group.every(({ durability }) => durability === 'process') ? 'process' : 'disk');
      this.#writer.run('begin immediate', []);
      let holdsWork = false;
      for (const job of group) if (await this.#runJob(job, holdsWork)) holdsWork = true;
      // A value of 10 MB is written in one turn, committed in the next, and answered in a third.
      await turn.pause();
      this.#writer.run('commit', []);
      await turn.pause();
      commits.tell(began, { writes: group.length, failed: false });
    } catch (error) {
      this.#rollBack();
      commits.tell(began, { writes: group.length, failed: true });
      // A job that failed keeps its own error; the others get the error of the commit.
      if (refusesWrites(error)) this.#probe.noteRefusal();
      for (const job of group) job.reject(job.outcome && 'error' in job.outcome ? job.outcome.error : error);
      return;
    }
    for (const job of group) settle(job);
    await this.#checkpoints.afterCommit();
  }

  /**
   * In WAL mode a commit of `synchronous=NORMAL` does not wait for the disk, and the next one of `FULL` flushes it too.
   * Source: https://www.sqlite.org/pragma.html#pragma_synchronous
   */
  #syncAs(durability: Durability): void {
    if (!this.#isDurable || durability === this.#durability) return;
    this.#writer.exec(`pragma synchronous = ${durability === 'disk' ? 'full' : 'normal'}`);
    this.#durability = durability;
  }

  /**
   * Returns whether the job's work is kept. A job behind others has a savepoint, so that it can fail alone. The first
   * job has none and rolls back the transaction itself, because a savepoint copies every page that changes.
   */
  async #runJob(job: Job, isBehindOthers: boolean): Promise<boolean> {
    const tx = new SqliteTx(job.workspace, this.#writer, job.effects);
    if (isBehindOthers) this.#writer.run('savepoint job', []);
    try {
      const value = await job.work(tx);
      await tx.settled();
      job.outcome = { value };
    } catch (error) {
      job.outcome = { error };
      if (refusesWrites(error)) this.#probe.noteRefusal();
      // On a full disk SQLite may have rolled back everything, including the work of the other jobs.
      if (!this.#writer.database.isTransaction) throw new Unavailable('The transaction was lost.', { cause: error });
      if (isBehindOthers) {
        this.#writer.run('rollback to job', []);
      } else {
        this.#rollBack();
        this.#writer.run('begin immediate', []);
      }
    } finally {
      tx.end();
    }
    if (isBehindOthers) this.#writer.run('release job', []);
    return 'value' in job.outcome;
  }

  #rollBack(): void {
    try {
      if (this.#writer.database.isTransaction) this.#writer.run('rollback', []);
    } catch {
      // The next transaction cannot begin either, and is refused with the reason.
    }
  }
}

function settle(job: Job): void {
  if (!job.outcome || 'error' in job.outcome) {
    job.reject(job.outcome?.error);
    return;
  }
  for (const effect of job.effects) inBackground('what follows a commit', effect);
  job.resolve(job.outcome.value);
}

class SqliteReads<S extends Scope> {
  readonly dialect = sqliteDialect;
  readonly workspace: S;
  readonly #connection: SqliteConnection;
  readonly #slowReads: SlowReads;
  readonly #requester: Requester;

  constructor(workspace: S, requester: Requester, connection: SqliteConnection, slowReads: SlowReads) {
    this.workspace = workspace;
    this.#requester = requester;
    this.#connection = connection;
    this.#slowReads = slowReads;
  }

  async all<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R[]> {
    return (await this.#read('all', statement.bind(this.dialect, (parameters ?? {}) as P, this))) as R[];
  }

  async first<P, R>(statement: Statement<P, R>, ...[parameters]: [parameters?: P]): Promise<R | undefined> {
    const bound = statement.bind(this.dialect, (parameters ?? {}) as P, this);
    return this.#connection.first(bound.sql, bound.parameters) as R | undefined;
  }

  async query<R>(query: Query<R>, { recurs = false } = {}): Promise<R[]> {
    return (await this.#read('all', compileQuery(query, this.dialect, recurs))) as R[];
  }

  async listJson(query: Query<unknown>): Promise<JsonText> {
    return (await this.#read('json', compileQuery(query, this.dialect))) as JsonText;
  }

  async #read(form: 'all' | 'json', query: BoundQuery): Promise<unknown> {
    const told = reads.begin();
    if (this.#slowReads.owns(query)) {
      const share = shareOf(this.workspace, this.#requester);
      const result = await this.#slowReads.read(form, query, share, this.#requester);
      reads.tell(told, {});
      return result;
    }
    const started = performance.now();
    const result = this.#connection[form](query.sql, query.parameters);
    this.#slowReads.observe(query, performance.now() - started);
    reads.tell(told, {});
    return result;
  }
}

/**
 * Restricts the files to their owner: SQLite makes the files beside the database with the permissions of the database.
 * Existing files are changed too. A file of another user and a database in memory are left unchanged.
 */
function makePrivate(file: string): void {
  if (file === ':memory:') return;
  if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE));
  for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
    const facts = statSync(path, { throwIfNoEntry: false });
    const isOwn = facts && (process.getuid?.() ?? facts.uid) === facts.uid;
    if (isOwn && (facts.mode & 0o077) !== 0) chmodSync(path, PRIVATE);
  }
}
