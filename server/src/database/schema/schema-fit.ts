/** Checks that a database has the schema that its recorded migrations make. Only such a database may be upgraded. */
import { createHash } from 'node:crypto';
import type { SqlDialect } from '../dialect/dialect.ts';
import { postgresDialect } from '../dialect/postgres.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';
import type { Migration } from '../migrations/migration.ts';
import type { RawConnection } from '../store.ts';
import { lateIndexStatements, renderedStatements } from './rendered-migrations.ts';
import { oneLine, schemas } from './schema.ts';

/** A row of the table `migration`. */
export interface Recorded {
  /**
   * The last migration of the oldest version that can work with the schema after this one; undefined if no older
   * version can.
   */
  readonly readableFrom: string | undefined;
  /** The digest of the statements that ran. The first databases recorded only names. */
  readonly digest: string | undefined;
}

export type RecordedMigrations = ReadonlyMap<string, Recorded>;

interface OpenWork {
  readonly pending: readonly Migration[];
  /** Migrations that ran without a recorded digest. */
  readonly undigested: readonly Migration[];
}

/** Differences that are named; further ones are only counted. */
const NAMED = 3;
const dialects = { sqlite: sqliteDialect, postgres: postgresDialect };

/** Equal for equal statements. */
export function digestOf(migration: Migration, dialect: SqlDialect): string {
  const statements = [...renderedStatements(migration, dialect), ...lateIndexStatements(migration, dialect)];
  return createHash('sha256').update(statements.map(oneLine).join(';\n')).digest('hex');
}

/**
 * The migrations that a start runs, and those without a digest. A version that finds migrations of a newer one cannot
 * know what the tables should be.
 */
export function openWork(recorded: RecordedMigrations, known: readonly Migration[]): OpenWork {
  const names = new Set(known.map(({ name }) => name));
  const isNewer = [...recorded.keys()].some((name) => !names.has(name));
  return {
    pending: known.filter(({ name }) => !recorded.has(name)),
    undigested: isNewer ? [] : known.filter(({ name }) => recorded.has(name) && !recorded.get(name)?.digest),
  };
}

/**
 * Describes how the schema differs from the recorded migrations of `known`; undefined if it does not. If a start would
 * change something, it also compares the schema; objects that a person has added do not count.
 */
export async function misfitOf(
  connection: RawConnection,
  database: SqlDialect['name'],
  recorded: RecordedMigrations,
  known: readonly Migration[],
): Promise<string | undefined> {
  const ran = known.filter(({ name }) => recorded.has(name));
  const others = ran.filter((migration) => {
    const digest = recorded.get(migration.name)?.digest;
    return digest !== undefined && digest !== digestOf(migration, dialects[database]);
  });
  if (others.length > 0) return `there, ${listed(others.map(({ name }) => name))} made other tables`;
  const { pending, undigested } = openWork(recorded, known);
  const [next] = pending;
  if (next) {
    const before = new Set(known.slice(0, known.indexOf(next)).map(({ name }) => name));
    const later = [...recorded.keys()].find((name) => !before.has(name));
    if (later !== undefined) return `it has ${later}, but not ${next.name}`;
  }
  if (ran.length === 0 || (!next && undigested.length === 0)) return undefined;
  const found = await schemas[database].found(connection);
  const expected = await schemas[database].expected(connection, ran);
  const wrong = [...expected].filter(([object, definition]) => found.get(object) !== definition);
  if (wrong.length === 0) return undefined;
  const told = wrong.map(([object]) => (found.has(object) ? `another ${object}` : `no ${object}`));
  return `after ${ran.at(-1)?.name} it has ${listed(told)}`;
}

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
