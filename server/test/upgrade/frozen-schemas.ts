/**
 * The schemas of releases as their migrations made them, in `schemas/<release>.<database>.sql`. `scripts/freeze-schema.ts`
 * writes them; they never change.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresDialect } from '../../src/database/dialect/postgres.ts';
import { sqliteDialect } from '../../src/database/dialect/sqlite.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { lateIndexStatements, renderedStatements } from '../../src/database/schema/rendered-migrations.ts';

export const FOLDER = join(import.meta.dirname, 'schemas');
const dialects = { sqlite: sqliteDialect, postgres: postgresDialect };
export type DatabaseName = keyof typeof dialects;

const HEADLINE = /^-- migration (\S+)$/gm;

/** The frozen releases, oldest first. */
export const releases: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sqlite.sql'))
  .map((name) => name.replace('.sqlite.sql', ''))
  .sort((one, other) => migrationsOf(one).length - migrationsOf(other).length);

export function frozenSql(release: string, database: DatabaseName): string {
  return readFileSync(join(FOLDER, `${release}.${database}.sql`), 'utf8');
}

/** The part of a frozen schema that its first `count` migrations made: the schema of an earlier version. */
export function earlierSql(release: string, database: DatabaseName, count: number): string {
  const sql = frozenSql(release, database);
  return sql.slice(0, [...sql.matchAll(HEADLINE)][count]?.index);
}

/** The migrations that a release has, as the code has them now. */
export function migrationsOf(release: string): Migration[] {
  const names = new Set([...frozenSql(release, 'sqlite').matchAll(HEADLINE)].map(([, name]) => name));
  return migrations.filter(({ name }) => names.has(name));
}

/** SQL that makes an empty database with the schema after `applied`. */
export function schemaSql(release: string, database: DatabaseName, applied: readonly Migration[]): string {
  const dialect = dialects[database];
  const parts = applied.flatMap((migration) => [
    `-- migration ${migration.name}`,
    ...[...renderedStatements(migration, dialect), ...lateIndexStatements(migration, dialect)].map((sql) => `${sql};`),
    `insert into migration values ('${migration.name}', '2026-01-01T00:00:00.000Z', ${migration.readableFrom ? `'${migration.readableFrom}'` : 'null'});`,
  ]);
  const head = [
    `-- The schema of release ${release}. Written by scripts/freeze-schema.ts, and never changed.`,
    'create table migration (name text primary key, applied text not null, readable_from text);',
  ];
  return `${[...head, ...parts].join('\n')}\n`;
}
