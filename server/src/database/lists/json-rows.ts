/**
 * Rows that SQLite writes as JSON, in the form of an answer, so that a list is one text instead of a value for each of
 * its columns. The columns of such a row, one after the other, are its JSON: texts, and floats, which the databases
 * print in different ways and `jsonOfRow` writes.
 */
import { sql } from 'kysely';
import type { TSchema } from '../../schema/kinds.ts';
import { isNull, type SchemaNode } from '../../schema/schema-node.ts';
import { floatText } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { Expression, SqlDialect } from '../dialect/dialect.ts';
import type { TableName } from '../tables/tables.ts';
import { valueOrMark } from './large-values.ts';

/** SQL for a member; with `orColumn`, the column of its name counts where the SQL is null. */
interface Given {
  readonly sql: string;
  readonly orColumn?: boolean;
}

/** An object inside the answer, of another table that the query joins as `alias`; null without a row there. */
interface Nested {
  readonly table: TableName;
  readonly alias: string;
}

type Float = (now: Timestamp, dialect: SqlDialect) => Expression;
/** The source of a member that is not only the column of its name. A function gives a float. */
type Source = Given | Nested | Float;

/** A part of a row: SQL for a text, or a float. */
type Piece = string | Float;

/**
 * The select list of a query on SQLite for rows in the shape of `schema`. Texts of the second one have marks in the
 * place of large values; see `large-values.ts`.
 */
export function jsonRows(schema: TSchema, table: TableName, sources: Readonly<Record<string, Source>>) {
  const root = { table, alias: table };
  return {
    columns: columnsOf(piecesOf(schema, root, false, sources)),
    columnsWithMarks: columnsOf(piecesOf(schema, root, true, sources)),
  };
}

/** The JSON of a row that was selected by the columns of `jsonRows`. */
export function jsonOfRow(values: readonly unknown[]): string {
  let text = '';
  for (const value of values) text += typeof value === 'number' ? floatText(value) : value;
  return text;
}

function columnsOf(pieces: readonly Piece[]): Float {
  const columns: Float[] = [];
  let texts: string[] = [];
  const endText = () => {
    const text = sql.raw(`concat(${texts.join(', ')})`);
    columns.push(() => text);
    texts = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      texts.push(piece);
      continue;
    }
    endText();
    columns.push(piece);
  }
  endText();
  const named = (column: Expression, index: number) => sql`${column} as ${sql.ref(`part_${index}`)}`;
  return (now, dialect) => sql.join(columns.map((column, index) => named(column(now, dialect), index)));
}

function piecesOf(
  schema: SchemaNode,
  { table, alias }: Nested,
  marks: boolean,
  sources: Readonly<Record<string, Source>>,
): Piece[] {
  const pieces: Piece[] = [];
  let head = '{';
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = notNull(property);
    const source = sources[name];
    pieces.push(`'${head}"${name}":'`);
    head = ',';
    if (typeof source === 'function') {
      pieces.push(source);
    } else if (source && 'table' in source) {
      pieces.push(nestedText(node, source, marks));
    } else if (node.type === 'number') {
      const column = sql.ref(`${alias}.${name}`);
      pieces.push(() => column);
    } else {
      const column = () => valueOrMark(table, name, alias, marks);
      const value = source ? (source.orColumn ? `coalesce(${source.sql}, ${column()})` : source.sql) : column();
      pieces.push(jsonOf(node, value));
    }
  }
  pieces.push("'}'");
  return pieces;
}

function nestedText(node: SchemaNode, nested: Nested, marks: boolean): string {
  const texts = piecesOf(node, nested, marks, {});
  if (texts.some((piece) => typeof piece !== 'string')) throw new Error('A nested object of a row has no floats.');
  return `case when ${nested.alias}.id is null then 'null' else concat(${texts.join(', ')}) end`;
}

function notNull(schema: SchemaNode): SchemaNode {
  const [only, ...others] = (schema.anyOf ?? [schema]).filter((branch) => !isNull(branch));
  // A member of several kinds is stored as JSON.
  return only && others.length === 0 ? only : {};
}

/** The JSON text of `value`, as `schema/encode.ts` writes it. */
function jsonOf(node: SchemaNode, value: string): string {
  const quoted = (text: string) => `coalesce('"' || ${text} || '"', 'null')`;
  if (node.enum || node.const !== undefined || node.format === 'uuid') return quoted(value);
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' ? quoted(`replace(${value}, '.000000Z', 'Z')`) : `json_quote(${value})`;
    case 'boolean':
      return `case when ${value} is null then 'null' when ${value} then 'true' else 'false' end`;
    default:
      return `coalesce(${value}, 'null')`;
  }
}
