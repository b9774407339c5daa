/** The work that migrations leave for after the start, so that a large database is upgraded while it is used. */
import { sql } from 'kysely';
import type { SqlDialect } from '../dialect/dialect.ts';
import type { Migration } from '../migrations/migration.ts';
import { type PlatformStatement, platformStatement } from '../statement.ts';
import type { PlatformStore, RawConnection } from '../store.ts';
import { olderIsConnected } from './migrate.ts';
import { bringOver } from './partitions/bring-over.ts';
import { render } from './rendered-migrations.ts';

/** Rows that one transaction updates: some 50 ms, so that concurrent writes hardly wait. */
const BATCH_ROWS = 500;

interface Parts {
  readonly dialect: SqlDialect;
  readonly raw: RawConnection;
  readonly platform: PlatformStore;
}

export class LaterWork {
  readonly #parts: Parts;
  readonly #indexes: NonNullable<Migration['lateIndexes']>;
  readonly #backfills: readonly PlatformStatement<Record<string, never>, unknown>[];

  readonly #known: readonly Migration[];
  /** The migration that divides tables, on PostgreSQL. */
  readonly #divides: Migration | undefined;
  #isDivided = false;

  constructor(parts: Parts, known: readonly Migration[]) {
    this.#parts = parts;
    this.#known = known;
    this.#divides = parts.dialect.name === 'postgres' ? known.find(({ dividesTables }) => dividesTables) : undefined;
    this.#indexes = parts.dialect.name === 'postgres' ? known.flatMap(({ lateIndexes = [] }) => lateIndexes) : [];
    this.#backfills = known.flatMap(({ backfills = [] }) => backfills).map(batchOf);
  }

  /**
   * Builds the missing indexes without a time limit, and updates a batch of rows. Returns whether rows may be left. Any
   * number of replicas may do so at once.
   */
  async continue(): Promise<boolean> {
    for (const { name, on } of this.#indexes) await this.#buildIndex(name, on);
    await this.#divideTables();
    let isLeft = false;
    for (const batch of this.#backfills) {
      const changed = await this.#parts.platform.transaction((tx) => tx.run(batch, {}), 'disk', { background: true });
      if (changed === BATCH_ROWS) isLeft = true;
    }
    return isLeft;
  }

  /** A table is divided with its indexes, so these come first. What is in the way now is so for more than a moment. */
  async #divideTables(): Promise<void> {
    const { raw } = this.#parts;
    if (this.#divides === undefined || this.#isDivided) return;
    const valid = await raw.execute(
      `select relname from pg_index join pg_class on pg_class.oid = indexrelid
        where indisvalid and relnamespace = current_schema()::regnamespace`,
    );
    const names = new Set(valid.map(({ relname }) => relname));
    if (!this.#indexes.every(({ name }) => names.has(name))) return;
    this.#isDivided = await bringOver({
      raw,
      migration: this.#divides.name,
      olderIsConnected: olderIsConnected(this.#divides, this.#known),
      buildIndex: (name, on, unique) => this.#buildIndex(name, on, unique),
    });
  }

  async #buildIndex(name: string, on: string, unique = false): Promise<void> {
    const { raw, dialect } = this.#parts;
    const [found] = await raw.execute(
      `select indisvalid as whole,
          exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as building
        from pg_index where indexrelid = to_regclass('${name}')`,
    );
    if (found?.['whole'] || found?.['building']) return;
    // Removes an index that an ended process left half built. Source:
    // https://www.postgresql.org/docs/current/sql-createindex.html
    if (found) await raw.execute(`drop index concurrently if exists ${name}`);
    // It uses one processor, so that requests have the others.
    await raw.execute('set max_parallel_maintenance_workers = 0');
    await raw.execute(
      `create ${unique ? 'unique ' : ''}index concurrently if not exists ${name} on ${render(on, dialect)}`,
    );
  }
}

function batchOf(text: string): PlatformStatement<Record<string, never>, unknown> {
  return platformStatement((_query, _parameters, dialect) =>
    sql.raw(
      render(text, dialect)
        .replaceAll('{limit}', String(BATCH_ROWS))
        .replaceAll('{skipLocked}', dialect.name === 'postgres' ? 'for update skip locked' : ''),
    ),
  );
}
