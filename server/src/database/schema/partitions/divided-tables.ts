/** The tables that PostgreSQL divides by time, and the statements that make and replace them. */
import { firstIdAt } from '../../../values/id.ts';
import type { DividedKind } from '../../partitions.ts';
import type { RawConnection } from '../../store.ts';

export interface DividedTable {
  readonly name: string;
  /** The column that decides the partition of a row. */
  readonly by: 'occurred' | 'timestamp' | 'id';
  /** The columns of the primary key of the divided table, which must contain the time. */
  readonly key?: string;
  /** True if the table has this key before it is divided. */
  readonly hasKey?: boolean;
  /** The trigger that stays with the divided table. */
  readonly trigger?: { readonly name: string; readonly when: string };
}

/**
 * An event comes before its related resources: every transaction locks them in this order. Ids of requests contain their
 * time.
 */
export const dividedTables: Readonly<Record<DividedKind, readonly DividedTable[]>> = {
  events: [
    {
      name: 'event',
      by: 'occurred',
      key: 'workspace, id, occurred',
      trigger: { name: 'event_resource_goes', when: 'after delete' },
    },
    { name: 'event_resource', by: 'occurred' },
  ],
  logs: [{ name: 'log', by: 'timestamp', key: 'workspace, id, timestamp' }],
  mcp_requests: [{ name: 'mcp_request', by: 'id', key: 'server_id, id', hasKey: true }],
};

export const dividedNames: readonly string[] = Object.values(dividedTables).flatMap((tables) =>
  tables.map(({ name }) => name),
);

/** The partition of all times before the others. */
export const past = (table: string): string => `${table}_past`;
/** The partition of rows for whose time there is none: rows of the future. */
export const rest = (table: string): string => `${table}_default`;

/** Any fixed number serves as the key of the lock: one process changes partitions at a time. */
export const TAKE_TURNS = 'perform pg_advisory_xact_lock(7446202);';

/** A time in the column that divides the table, as SQL. */
export function bound({ by }: DividedTable, microseconds: number): string {
  return by === 'id' ? `'${firstIdAt(microseconds)}'` : `'${new Date(microseconds / 1000).toISOString()}'`;
}

/** Reverse of `bound`, for the text that PostgreSQL makes of it. */
export function microsecondsOfBound({ by }: DividedTable, text: string): number {
  if (by === 'id') return Number.parseInt(text.replace('-', '').slice(0, 12), 16) * 1000;
  return Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z')) * 1000;
}

/** Renames a table and its indexes, and makes a divided one of its shape and name. Statements of PL/pgSQL. */
export function replaceByDivided(table: DividedTable): string {
  const { name, by, key, hasKey, trigger } = table;
  const old = past(name);
  return `
    alter table ${name} rename to ${old};
    ${trigger ? `drop trigger ${trigger.name} on ${old};` : ''}
    ${key && !hasKey ? `alter table ${old} drop constraint ${name}_pkey;` : ''}
    create table ${name} (like ${old} including defaults) partition by range (${by});
    for found in select pg_get_indexdef(indexrelid) as definition, relname, indisprimary from pg_index
        join pg_class on pg_class.oid = indexrelid where indrelid = '${old}'::regclass and indisvalid
    loop
      execute format('alter index %I rename to %I', found.relname, 'past_' || found.relname);
      if not found.indisprimary and found.relname <> '${keyIndex(name)}' then
        execute regexp_replace(found.definition, ' ON (\\S+\\.)?${old} ', ' ON \\1${name} ');
      end if;
    end loop;
    ${key ? `alter table ${name} add primary key (${key});` : ''}
    ${trigger ? `create trigger ${trigger.name} ${trigger.when} on ${name} for each row execute function ${trigger.name}();` : ''}`;
}

/** The index that becomes the key of the old table. */
export const keyIndex = (table: string): string => `ix_${table}_key_with_time`;

/** Divides the tables of a new database, which have no rows. */
export function divideNew(): string {
  const statements = Object.values(dividedTables)
    .flat()
    .map(
      (table) => `${replaceByDivided(table)}
        drop table ${past(table.name)};
        create table ${rest(table.name)} partition of ${table.name} default;`,
    );
  return `do $divide$ declare found record; begin ${statements.join('\n')} end $divide$`;
}

export async function isDivided({ execute }: RawConnection, kind: DividedKind): Promise<boolean> {
  const [table] = await execute(
    `select relkind from pg_class where oid = to_regclass('${dividedTables[kind][0]!.name}')`,
  );
  return table?.['relkind'] === 'p';
}
