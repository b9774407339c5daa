import { sql } from 'kysely';
import pg from 'pg';
import { Unavailable } from '../../errors.ts';
import { newId } from '../../values/id.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import { commits, reads } from '../../watching/telemetry.ts';
import { findAccessVersion } from '../access-version.ts';
import { postgresDialect } from '../dialect/postgres.ts';
import { migrations } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import type { Partitions } from '../partitions.ts';
import { LaterWork } from '../schema/later-work.ts';
import { connectionName } from '../schema/migrate.ts';
import { type BoundQuery, platformStatement } from '../statement.ts';
import {
  type DatabaseSize,
  type Db,
  type Durability,
  NO_LIMITS,
  PLATFORM_SHARE,
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
import { ACCESS_CHANGED, AccessWindow, windowAfter } from './access-window.ts';
import { ask, assertCommitted, isUndone, sendTogether } from './ask.ts';
import { refusesWrites, spoilsConnection } from './errors.ts';
import { PostgresFeed } from './feed/feed.ts';
import { PostgresPartitions } from './partitions.ts';
import { type BorrowedConnection, cancelQuery, connectAlone, PostgresPool } from './pool.ts';
import { listSizes, listUnanalyzed } from './relations.ts';
import type { Result } from './result.ts';
import { type Outcome, SharedCommits } from './shared-commits.ts';
import { PostgresReads, PostgresTx } from './transaction.ts';
import { decoders } from './types.ts';

/** Connections of background services. Each service uses one at a time, and requests never wait for them. */
const BACKGROUND_CONNECTIONS = 4;
/** A pass of a service may read and change more than a request. */
const BACKGROUND_TIMES = 10;
/** Longest wait for a connection, of a request and of a background service. */
const WAIT_MILLISECONDS = 5000;
const BACKGROUND_WAIT_MILLISECONDS = 60_000;
/** A commit that does not wait for the disk. Source: https://www.postgresql.org/docs/current/wal-async-commit.html */
const BEGIN = { disk: 'begin', process: 'begin; set local synchronous_commit = off' };
const selectTime = platformStatement<Record<string, never>, { microseconds: number }>(
  () => sql`select (extract(epoch from clock_timestamp()) * 1000000)::bigint as microseconds`,
);
const selectOrigin = platformStatement<Record<string, never>, { origin: string | null }>(
  () => sql`select current_setting('signalbox.origin', true) as origin`,
);
const selectSize = platformStatement<Record<string, never>, { bytes: number }>(
  () => sql`select pg_database_size(current_database()) as bytes`,
);
/**
 * After this many commits, and then each time after four times as many, the store looks for tables that were never
 * analyzed.
 */
const FIRST_REFRESH = 64;

interface Terms {
  readonly durability: Durability;
  readonly requester: Requester;
  /** The number of requests for which it writes. */
  readonly writes: number;
}

/** A PostgreSQL database: one transaction per operation, with row locks where two replicas could conflict. */
export class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly platform: PlatformStore = {
    reads: (requester = {}) => this.#reads(undefined, requester),
    transaction: (work, durability, requester) => this.#transact(undefined, work, durability, requester),
  };
  readonly #shared = new SharedCommits((workspace, work, writes, requester) =>
    this.#attempt(workspace, work, { durability: 'disk', requester, writes }),
  );
  readonly accessLook = new AccessWindow(async () => (await this.platform.reads().first(findAccessVersion))?.version);
  readonly replicas: PostgresFeed;
  readonly partitions: Partitions;
  readonly #requests: PostgresPool;
  readonly #background: PostgresPool;
  /** Connections without limits, for changes of the schema and statistics. */
  readonly #maintenance: PostgresPool;
  readonly #probe = new WriteProbe((write) => this.platform.transaction((tx) => tx.run(write, {})));
  readonly #names = new Map<string, string>();
  /** The name of this process in the rows that it stores. */
  readonly #origin = newId().replaceAll('-', '');
  /** Follows `begin` in each transaction, so that its rows name this process; undefined until it is known. */
  #naming: string | undefined;
  #commits = 0;
  #nextRefresh = FIRST_REFRESH;

  readonly #later: LaterWork;

  constructor(url: string, limits: StoreLimits = NO_LIMITS, known: readonly Migration[] = migrations) {
    const milliseconds = Math.round(limits.timeoutSeconds * 1000);
    const name = connectionName(known);
    const common = {
      origin: this.#origin,
      name,
      lockMilliseconds: Math.round(limits.lockSeconds * 1000),
      idleMilliseconds: milliseconds,
      decoder,
    };
    this.#requests = new PostgresPool(url, {
      ...common,
      connections: limits.connections,
      statementMilliseconds: milliseconds,
      waitMilliseconds: WAIT_MILLISECONDS,
      exempt: [PLATFORM_SHARE],
    });
    this.#background = new PostgresPool(url, {
      ...common,
      connections: BACKGROUND_CONNECTIONS,
      statementMilliseconds: milliseconds * BACKGROUND_TIMES,
      waitMilliseconds: BACKGROUND_WAIT_MILLISECONDS,
    });
    this.#maintenance = new PostgresPool(url, {
      name,
      connections: 1,
      statementMilliseconds: 0,
      lockMilliseconds: 0,
      idleMilliseconds: 0,
      waitMilliseconds: BACKGROUND_WAIT_MILLISECONDS,
      decoder,
    });
    this.replicas = new PostgresFeed({
      origin: this.#origin,
      siblings: limits.siblings,
      connect: (ended) =>
        connectAlone(
          limits.listenUrl || url,
          { ...common, statementMilliseconds: milliseconds * BACKGROUND_TIMES },
          ended,
        ),
    });
    this.partitions = new PostgresPartitions(this.raw);
    this.#later = new LaterWork(this, known);
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
    return this.#transact(workspace, work, durability, requester);
  }

  sharedTransaction<T>(
    workspace: number,
    locks: string,
    work: (tx: Tx) => Promise<T>,
    requester: Requester = {},
  ): Promise<T> {
    return this.#shared.add(workspace, locks, work, requester);
  }

  #reads<S extends Scope>(workspace: S, requester: Requester): PostgresReads<S> {
    return new PostgresReads(workspace, (query) => this.#read(workspace, requester, query));
  }

  /** A change of access is answered when no process uses older facts any more. Meanwhile it holds no connection. */
  async #transact<T, S extends Scope>(
    workspace: S,
    work: (tx: PostgresTx<S>) => Promise<T>,
    durability: Durability = 'disk',
    requester: Requester = {},
  ): Promise<T> {
    const outcome = await this.#attempt(workspace, work, { durability, requester, writes: 1 });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  async #attempt<T, S extends Scope>(
    workspace: S,
    work: (tx: PostgresTx<S>) => Promise<T>,
    { durability, requester, writes }: Terms,
  ): Promise<Outcome<T>> {
    const began = commits.begin();
    const naming = this.#naming ?? (await this.#findNaming());
    const connection = await this.#borrow(workspace, requester);
    const { client } = connection;
    const tx = new PostgresTx(workspace, (query) => {
      sendTogether(client);
      return this.#run(client, query);
    });
    let accessChanged = false;
    const noted = guarded('a notice of PostgreSQL', ({ message }: { readonly message?: string | undefined }) => {
      if (message === ACCESS_CHANGED) accessChanged = true;
    });
    client.on('notice', noted);
    let broken: unknown;
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = cancelQuery(client);
    };
    requester.signal?.addEventListener('abort', cancel, { once: true });
    let committed: Promise<Result> | undefined;
    let value: T;
    try {
      sendTogether(client);
      const begun = ask(client, BEGIN[durability] + naming);
      // It is awaited below. If the work fails first, nothing awaits it, and its failure must not be unhandled.
      begun.catch(() => {});
      value = await work(tx);
      tx.end();
      requester.signal?.removeEventListener('abort', cancel);
      sendTogether(client);
      // After a failure, PostgreSQL turns the commit into a rollback.
      committed = ask(client, 'commit');
      committed.catch(() => {});
      await begun;
      await tx.settled();
      assertCommitted(await committed);
      for (const effect of tx.effects) inBackground('what follows a commit', effect);
      this.#countCommit();
      commits.tell(began, { writes, failed: false });
    } catch (thrown) {
      const error = tx.causeOf(thrown);
      commits.tell(began, { writes, failed: true });
      if (spoilsConnection(error)) broken = error;
      await ask(client, 'rollback').catch((failure: unknown) => {
        broken = failure;
      });
      if (refusesWrites(error)) this.#probe.noteRefusal();
      // After a cancelled statement, later ones fail for another reason.
      if (cancelled !== undefined) {
        return { error: new Unavailable('The client has disconnected.', { cause: error }), isUndone: true };
      }
      return { error, isUndone: await isUndone(committed) };
    } finally {
      client.off('notice', noted);
      requester.signal?.removeEventListener('abort', cancel);
      if (cancelled !== undefined) broken = await cancelled.then(() => 'cancelled');
      // A connection that could not roll back is closed instead of reused.
      connection.giveBack(broken);
    }
    if (accessChanged) await windowAfter(performance.now());
    return { value };
  }

  readonly sharedTime = async (): Promise<number> => {
    const row = await this.platform.reads({ background: true }).first(selectTime);
    if (!row) throw new Unavailable('The database did not return the current time.');
    return row.microseconds;
  };

  get raw(): RawConnection {
    return {
      execute: (sql, parameters = []) => this.#maintain(sql, parameters),
    };
  }

  /**
   * Analyzes tables that have rows and no statistics, as after a restore and in the first minute of a new database.
   * Until autovacuum analyzes them, the planner assumes that they are empty, rates all indexes the same, and may look
   * up a run by its id in an index that it reads from end to end.
   */
  async refreshStatistics(): Promise<void> {
    const rows = await this.#maintain(listUnanalyzed);
    if (rows.length > 0) await this.#maintain(`analyze ${rows.map(({ name }) => name as string).join(', ')}`);
  }

  /** Writes fill new tables, so the number of commits decides when to refresh. */
  #countCommit(): void {
    if (++this.#commits < this.#nextRefresh) return;
    this.#nextRefresh *= 4;
    // Nothing depends on the result: a failed refresh is repeated after more commits.
    this.refreshStatistics().catch(() => {});
  }

  async size(): Promise<DatabaseSize> {
    const row = await this.platform.reads({ background: true }).first(selectSize);
    return { bytes: row?.bytes ?? 0, freeBytes: undefined };
  }

  async tableSizes(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#maintain(listSizes);
    return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
  }

  continueUpgrade(): Promise<boolean> {
    return this.#later.continue();
  }

  async releaseSpace(): Promise<boolean> {
    return false;
  }

  async vacuum(): Promise<void> {
    await this.#maintain('vacuum (analyze)');
  }

  takesWrites(): Promise<boolean> {
    return this.#probe.takesWrites();
  }

  async close(): Promise<void> {
    await this.replicas.close();
    await Promise.all([this.#requests.end(), this.#background.end(), this.#maintenance.end()]);
  }

  /** A pooler of connections may drop the settings of a session, and then each transaction sets the name. */
  async #findNaming(): Promise<string> {
    const row = await this.platform.reads().first(selectOrigin);
    this.#naming = row?.origin === this.#origin ? '' : `; set local signalbox.origin = '${this.#origin}'`;
    return this.#naming;
  }

  #borrow(scope: Scope, requester: Requester): Promise<BorrowedConnection> {
    const pool = requester.background ? this.#background : this.#requests;
    return pool.borrow(shareOf(scope, requester), requester);
  }

  /** A read is cancelled, together with its connection, if its requester leaves. */
  async #read(workspace: Scope, requester: Requester, query: BoundQuery): Promise<Result> {
    const { signal } = requester;
    const began = reads.begin();
    const connection = await this.#borrow(workspace, requester);
    let cancelled: Promise<void> | undefined;
    let broken: unknown;
    const cancel = () => {
      cancelled = cancelQuery(connection.client);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const rows = await this.#run(connection.client, query);
      reads.tell(began, {});
      return rows;
    } catch (error) {
      if (spoilsConnection(error)) broken = error;
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (cancelled !== undefined) broken = await cancelled.then(() => 'cancelled');
      connection.giveBack(broken);
    }
  }

  /** Throws the driver's own errors, so the operator who starts the server sees PostgreSQL's message. */
  async #maintain(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const connection = await this.#maintenance.borrow(PLATFORM_SHARE);
    let broken: unknown;
    try {
      return (await connection.client.query(sql, [...parameters])).rows as Record<string, unknown>[];
    } catch (error) {
      if (spoilsConnection(error)) broken = error;
      throw error;
    } finally {
      connection.giveBack(broken);
    }
  }

  #run(client: pg.PoolClient, query: BoundQuery): Promise<Result> {
    return ask(client, {
      text: query.sql,
      values: query.parameters as unknown[],
      ...(query.prepare ? { name: this.#nameOf(query.sql) } : {}),
    });
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

const decoder = (oid: number, format: 'text') => decoders.get(oid) ?? pg.types.getTypeParser(oid, format);
