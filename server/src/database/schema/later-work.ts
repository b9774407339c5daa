/** What migrations leave for after the start, so that a large database is brought up to date while it is used. */
import { sql } from 'kysely';
import type { SqlDialect } from '../dialect/dialect.ts';
import type { Migration } from '../migrations/migration.ts';
import { type PlatformStatement, platformStatement } from '../statement.ts';
import type { PlatformStore, RawConnection } from '../store.ts';
import { render } from './rendered-migrations.ts';

/** Rows that one transaction brings up to date: some 50 ms, so that writes beside it hardly wait. */
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

  constructor(parts: Parts, known: readonly Migration[]) {
    this.#parts = parts;
    this.#indexes = parts.dialect.name === 'postgres' ? known.flatMap(({ lateIndexes = [] }) => lateIndexes) : [];
    this.#backfills = known.flatMap(({ backfills = [] }) => backfills).map(batchOf);
  }

  /**
   * Builds what indexes are missing, which takes as long as it takes, and brings a batch of rows up to date. Returns
   * whether rows may be left. Any number of replicas may do so at once.
   */
  async continue(): Promise<boolean> {
    for (const { name, on } of this.#indexes) await this.#buildIndex(name, on);
    let isLeft = false;
    for (const batch of this.#backfills) {
      const changed = await this.#parts.platform.transaction((tx) => tx.run(batch, {}), 'disk', { background: true });
      if (changed === BATCH_ROWS) isLeft = true;
    }
    return isLeft;
  }

  async #buildIndex(name: string, on: string): Promise<void> {
    const { raw, dialect } = this.#parts;
    const [found] = await raw.execute(
      `select indisvalid as whole,
          exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as building
        from pg_index where indexrelid = to_regclass('${name}')`,
    );
    if (found?.['whole'] || found?.['building']) return;
    // What a process left that ended while it built. Source: https://www.postgresql.org/docs/current/sql-createindex.html
    if (found) await raw.execute(`drop index concurrently if exists ${name}`);
    await raw.execute(`create index concurrently if not exists ${name} on ${render(on, dialect)}`);
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
