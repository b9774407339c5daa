/** Renders migrations to the SQL of a database. */
import type { SqlDialect } from '../dialect/dialect.ts';
import type { Migration } from '../migrations/migration.ts';
import { columnTypes } from '../tables/tables.ts';

export function renderedStatements({ statements }: Migration, dialect: SqlDialect): string[] {
  const written = 'sqlite' in statements ? statements[dialect.name] : statements;
  return written.map((statement) => render(statement, dialect));
}

export function lateIndexStatements({ lateIndexes = [] }: Migration, dialect: SqlDialect): string[] {
  return lateIndexes
    .filter(({ only = dialect.name }) => only === dialect.name)
    .map(({ name, on }) => `create index ${name} on ${render(on, dialect)}`);
}

export function render(statement: string, dialect: SqlDialect): string {
  const types = columnTypes[dialect.name];
  return statement.replace(/\{(\w+)\}/g, (whole, kind: string) => types[kind as keyof typeof types] ?? whole);
}
