/** Reads the schema of a database, and the schema that migrations make. */
import { DatabaseSync } from 'node:sqlite';
import { postgresDialect } from '../dialect/postgres.ts';
import { sqliteDialect } from '../dialect/sqlite.ts';
import type { Migration } from '../migrations/migration.ts';
import type { RawConnection } from '../store.ts';
import { dividedNames } from './partitions/divided-tables.ts';
import { lateIndexStatements, renderedStatements } from './rendered-migrations.ts';

/** Objects with their definitions: `table flow`, `index ix_flow_name` … */
type Schema = ReadonlyMap<string, string>;

/**
 * The database itself describes both, so its version does not matter. On PostgreSQL the connection must be outside a
 * transaction: it makes the expected tables as temporary ones, and rolls them back.
 */
export const schemas = {
  sqlite: {
    found: ({ execute }: RawConnection) => describeSqlite(execute),
    async expected(_: RawConnection, migrations: readonly Migration[]): Promise<Schema> {
      const database = new DatabaseSync(':memory:');
      try {
        for (const migration of migrations) {
          for (const statement of renderedStatements(migration, sqliteDialect)) database.exec(statement);
          for (const statement of lateIndexStatements(migration, sqliteDialect)) database.exec(statement);
        }
        return await describeSqlite(async (query) => database.prepare(query).all());
      } finally {
        database.close();
      }
    },
  },
  postgres: {
    found: ({ execute }: RawConnection) => describePostgres(execute, 'current_schema()::regnamespace'),
    async expected({ execute }: RawConnection, migrations: readonly Migration[]): Promise<Schema> {
      await execute('begin');
      try {
        await execute('set local search_path = pg_temp');
        const statements = migrations.flatMap((migration) => renderedStatements(migration, postgresDialect));
        // A function of the temporary schema is found only under its qualified name.
        await execute(statements.join(';\n').replaceAll(/\b(execute|drop) function /g, '$1 function pg_temp.'));
        return await describePostgres(execute, 'pg_my_temp_schema()');
      } finally {
        await execute('rollback');
      }
    },
  },
};

type Execute = RawConnection['execute'];

const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');
/** Their keys depend on whether they are divided already; the checks are those of the change. */
const DIVIDED = listed(dividedNames);
const DIVIDED_KEYS = listed(dividedNames.map((name) => `${name}_pkey`));

async function describeSqlite(execute: Execute): Promise<Schema> {
  const rows = await execute(
    `select type || ' ' || name as object, sql as definition from sqlite_schema
      where sql is not null and name not like 'sqlite\\_%' escape '\\'`,
  );
  return schemaOf(rows);
}

async function describePostgres(execute: Execute, namespace: string): Promise<Schema> {
  const rows = await execute(
    `select 'table ' || relname as object, string_agg(concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
          case when attnotnull then 'not null' end, attidentity, pg_get_expr(adbin, adrelid)), ', ' order by attname)
        || coalesce((select string_agg(pg_get_constraintdef(pg_constraint.oid), ', ' order by pg_get_constraintdef(pg_constraint.oid))
            from pg_constraint where conrelid = pg_class.oid and contype not in ('n', 't')
              and not (contype in ('c', 'p') and relname in (${DIVIDED}))), '') as definition
      from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = ${namespace} and relkind in ('r', 'p') group by pg_class.oid
    union all
    select 'index ' || relname, replace(pg_get_indexdef(oid), ' ON ONLY ', ' ON ') from pg_class
      where relnamespace = ${namespace} and relkind in ('i', 'I') and relname not in (${DIVIDED_KEYS})
    union all
    select 'trigger ' || tgname || ' of ' || relname, concat(tgenabled, ' ', pg_get_triggerdef(pg_trigger.oid))
      from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = ${namespace} and not tgisinternal
    union all
    select 'function ' || proname, prosrc from pg_proc where pronamespace = ${namespace}`,
  );
  const [{ current } = {}] = await execute('select quote_ident(current_schema()) as current');
  const names = [/\bpg_temp(_\d+)?\./g, `${current}.`];
  return schemaOf(rows, (definition) => names.reduce<string>((text, name) => text.replaceAll(name, ''), definition));
}

function schemaOf(rows: readonly Record<string, unknown>[], plain = (definition: string) => definition): Schema {
  return new Map(rows.map(({ object, definition }) => [String(object), oneLine(plain(String(definition)))]));
}

/** The statement on one line, regardless of its indentation. */
export function oneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}
