/**
 * The tables, column by column, in the types of the code. The kind of a column decides how its values are bound and
 * decoded on both databases; the migrations hold the same columns as DDL, and a test compares the two.
 *
 * Every table of the Prefect API starts with `workspace`, the small integer key of the workspace that owns the row.
 */
import type { JsonText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import * as backfills from './backfills.ts';
import * as bulkWork from './bulk-work.ts';
import * as content from './content.ts';
import * as deployments from './deployments.ts';
import * as events from './events.ts';
import * as failures from './failures.ts';
import * as hosting from './hosting.ts';
import * as identity from './identity.ts';
import * as mcpServers from './mcp-servers.ts';
import * as oauth from './oauth.ts';
import * as runs from './runs.ts';
import * as server from './server.ts';
import * as webhooks from './webhooks.ts';

interface KindTypes {
  uuid: string;
  text: string;
  timestamp: Timestamp;
  /** JSON as its text, exactly as it was given. */
  json: JsonText;
  boolean: boolean;
  integer: number;
  /** A whole number that may exceed 64 bits, such as a sum. */
  wide_integer: number;
  float: number;
}

/**
 * The column types of the two databases. SQLite takes its affinity from the words TEXT, INTEGER and REAL; the second
 * word tells the connection how to decode. SQLite sorts nulls first by default and its indexes have no option for it.
 * PostgreSQL uses an index for an order only when the orders are equal (`orderBy` of the dialect).
 */
export const columnTypes = {
  sqlite: {
    uuid: 'TEXT UUID',
    text: 'TEXT',
    timestamp: 'TEXT TIMESTAMP',
    json: 'TEXT JSON',
    boolean: 'INTEGER BOOLEAN',
    integer: 'INTEGER',
    wide_integer: 'INTEGER',
    float: 'REAL',
    nullsFirst: '',
  },
  postgres: {
    uuid: 'uuid',
    text: 'text',
    timestamp: 'timestamptz',
    json: 'text',
    boolean: 'boolean',
    integer: 'bigint',
    wide_integer: 'numeric',
    float: 'double precision',
    nullsFirst: 'nulls first',
  },
} as const;

export type ColumnKind = keyof KindTypes;
/** A trailing `?` marks a column that can be null. */
export type ColumnSpec = ColumnKind | `${ColumnKind}?`;

type ColumnType<Spec> = Spec extends `${infer Kind extends ColumnKind}?`
  ? KindTypes[Kind] | null
  : Spec extends ColumnKind
    ? KindTypes[Spec]
    : never;

type RowOf<Table> = { -readonly [Column in keyof Table]: ColumnType<Table[Column]> };

export const tables = {
  ...identity,
  ...mcpServers,
  ...hosting,
  ...oauth,
  ...runs,
  ...deployments,
  ...backfills,
  ...bulkWork,
  ...content,
  ...events,
  ...failures,
  ...webhooks,
  ...server,
} satisfies Record<string, Record<string, ColumnSpec>>;

export type Tables = { [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]> };
export type TableName = keyof Tables;
/** Tables whose rows belong to no workspace. */
export type PlatformTable = {
  [Name in TableName]: 'workspace' extends keyof Tables[Name] ? never : Name;
}[TableName];
/** A whole row in the types of the code. */
export type Row<Name extends TableName> = Tables[Name];
/** A row to insert; the store adds `workspace`. */
export type NewRow<Name extends TableName> = Omit<Tables[Name], 'workspace'>;

export function columnsOf<Name extends TableName>(name: Name): (keyof Tables[Name] & string)[] {
  return Object.keys(tables[name]) as (keyof Tables[Name] & string)[];
}

/** Whole rows: rows of a workspace's table belong to `workspace`, which is undefined on the platform. */
export function rowsWithin<Name extends TableName>(
  workspace: number | undefined,
  table: Name,
  rows: readonly NewRow<Name>[],
): Row<Name>[] {
  const isOfWorkspace = 'workspace' in tables[table];
  if (isOfWorkspace && workspace === undefined) throw new Error(`Rows of ${table} belong to a workspace.`);
  return isOfWorkspace ? rows.map((row) => ({ ...row, workspace }) as Row<Name>) : (rows as Row<Name>[]);
}

export function kindOf(spec: ColumnSpec): ColumnKind {
  return (spec.endsWith('?') ? spec.slice(0, -1) : spec) as ColumnKind;
}
