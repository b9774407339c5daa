/**
 * Keeps large values out of the rows of a list, so that a page of them does not fill the memory. The row has a mark in
 * place of such a value, and the answer reads the value when it reaches the mark.
 */
import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type Statement, statement } from '../statement.ts';
import type { Db } from '../store.ts';
import { type ColumnSpec, columnsOf, kindOf, type TableName, tables } from '../tables/tables.ts';

/** Even the largest page, with several such columns, stays below 20 MB. */
const LARGE_BYTES = 16 * 1024;
/** No stored value can contain a mark, because the secret is random in each process. */
const secret = randomBytes(16).toString('hex');
const markInJson = new RegExp(`"${secret}\\.(\\w+)\\.(\\w+)\\.([0-9a-f-]{36})"`);

/** A value that a row omits. */
export interface LargeValue {
  readonly table: TableName;
  readonly column: string;
  /** The id of the row. */
  readonly id: string;
}

/** Like `db`, but rows of lists omit large values. Only for rows that are sent unchanged. */
export function leavingLargeValues(db: Db): Db {
  return {
    dialect: db.dialect,
    workspace: db.workspace,
    leavesLargeValues: true,
    all: (query, ...parameters) => db.all(query as Statement<unknown, never>, ...(parameters as [])),
    first: (query, ...parameters) => db.first(query as Statement<unknown, never>, ...(parameters as [])),
    query: (query, options) => db.query(query, options),
    ...(db.listJson && { listJson: db.listJson.bind(db) }),
  };
}

/**
 * All columns of the table, with marks if `db` omits large values. A column in `whole` is never omitted, because the
 * caller reads its content.
 */
export function listedColumns(db: Db, table: TableName, whole: readonly string[] = []): RawBuilder<unknown> {
  if (!db.leavesLargeValues) return sql`${sql.table(table)}.*`;
  const columns = columnsOf(table).map((column) =>
    whole.includes(column) ? sql.ref(`${table}.${column}`) : listedColumn(db, table, column),
  );
  return sql`${sql.join(columns)}`;
}

interface Called {
  /** The table in the query. */
  readonly alias?: string;
  /** The column in the row. */
  readonly as?: string;
}

/** One column, with marks if `db` omits large values. */
export function listedColumn(db: Db, table: TableName, column: string, called: Called = {}): RawBuilder<unknown> {
  const { alias = table, as = column } = called;
  return sql.raw(`${valueOrMark(table, column, alias, db.leavesLargeValues)} as "${as}"`);
}

/** One text or JSON column, with a mark in place of a large value: for a list whose values no one reads. */
export function markedColumn(
  table: TableName,
  column: string,
  { alias = table, as = column }: Called = {},
): RawBuilder<unknown> {
  return sql.raw(`${valueOrMark(table, column, alias, true)} as "${as}"`);
}

/** The SQL of a column, with a mark in place of a large value if `marks` is true and the column may have one. */
export function valueOrMark(table: TableName, column: string, alias: string, marks = false): string {
  const value = `${alias}."${column}"`;
  if (!marks || !mayBeLarge(table, column)) return value;
  const quote = isJson(table, column) ? '"' : '';
  const mark = `'${quote}${secret}.${table}.${column}.' || cast(${alias}.id as text) || '${quote}'`;
  return `case when octet_length(${value}) > ${LARGE_BYTES} then ${mark} else ${value} end`;
}

/** Splits a JSON text in order: text as it is, and the values whose marks it contains. */
export function splitAtLargeValues(json: string): (string | LargeValue)[] {
  if (!json.includes(secret)) return [json];
  const parts: (string | LargeValue)[] = [];
  const pieces = json.split(markInJson);
  for (let index = 0; index < pieces.length; index += 4) {
    const [text = '', table, column = '', id = ''] = pieces.slice(index, index + 4);
    if (text !== '') parts.push(text);
    if (table !== undefined) parts.push({ table: table as TableName, column, id });
  }
  return parts;
}

/** The value as JSON; undefined when its row has been deleted in the meantime. */
export async function readLargeValue(db: Db, { table, column, id }: LargeValue): Promise<string | undefined> {
  const row = await db.first(readerOf(table, column), { id });
  if (row === undefined) return undefined;
  if (row.value === null) return 'null';
  return isJson(table, column) ? row.value : JSON.stringify(row.value);
}

/** A text column of a listed row as stored; empty when it was omitted and its row has been deleted in the meantime. */
export async function readWholeText(db: Db, text: string): Promise<string> {
  const [, table, column = '', id = ''] = text.startsWith(secret) ? text.split('.') : [];
  if (table === undefined) return text;
  const row = await db.first(readerOf(table as TableName, column), { id });
  return row?.value ?? '';
}

type Reader = Statement<{ id: string }, { value: string | null }>;
const readers = new Map<string, Reader>();

function readerOf(table: TableName, column: string): Reader {
  const name = `${table}.${column}`;
  let reader = readers.get(name);
  if (!reader) {
    reader = statement(
      (_query, given) =>
        sql`select ${sql.ref(column)} as value from ${sql.table(table)} where "workspace" = ${given.workspace} and id = ${given.id}`,
    );
    readers.set(name, reader);
  }
  return reader;
}

function mayBeLarge(table: TableName, column: string): boolean {
  const kind = kindOfColumn(table, column);
  return kind === 'json' || kind === 'text';
}

function isJson(table: TableName, column: string): boolean {
  return kindOfColumn(table, column) === 'json';
}

function kindOfColumn(table: TableName, column: string) {
  return kindOf((tables[table] as Record<string, ColumnSpec>)[column]!);
}
