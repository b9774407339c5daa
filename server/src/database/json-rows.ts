/**
 * Rows that SQLite writes as JSON, in the form of an answer. The driver makes one value for a text and one for each
 * column, so a row of 40 columns costs a third as one text, and no encoder reads its values. Floats stay columns,
 * because the databases print them differently, and so do the members that depend on the time.
 */
import { type RawBuilder, sql } from 'kysely';
import { compileEncoder } from '../schema/encode.ts';
import type { TSchema } from '../schema/kinds.ts';
import { isNull, type SchemaNode } from '../schema/schema-node.ts';
import type { JsonText } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';
import { valueOrMark } from './large-values.ts';
import type { TableName } from './tables/tables.ts';

/** An object inside the answer, of another table that the query joins as `alias`; null without a row there. */
interface Nested {
  readonly table: TableName;
  readonly alias: string;
}

/** SQL for a member; with `orColumn`, the column of its name counts where the SQL is null. */
interface Given {
  readonly sql: string;
  readonly orColumn?: boolean;
}

/** The source of a member that is not only the column of its name. */
type Source<Row> = Given | Nested | ((row: Row, now: Timestamp) => unknown);

interface JsonRows<Row> {
  /** For the select list of a query on SQLite. */
  readonly columns: RawBuilder<Row>;
  /** Like `columns`, with marks in the place of large values. */
  readonly columnsWithMarks: RawBuilder<Row>;
  write(row: Row, now: Timestamp): JsonText;
}

type Write<Row> = (row: Row, now: Timestamp) => string;
/** Text of the answer, in the order of its members: SQL that gives a text, or what this process writes. */
type Piece<Row> = { readonly sql: string } | { readonly write: Write<Row> };

/** `given` are the columns, besides floats, that the functions in `sources` read. */
export function jsonRows<Row extends object>(
  schema: TSchema,
  table: TableName,
  given: readonly (keyof Row & string)[],
  sources: Readonly<Record<string, Source<Row>>>,
): JsonRows<Row> {
  function compose(marks: boolean) {
    const columns: string[] = given.map((name) => `${table}."${name}"`);
    const writes: Write<Row>[] = [];
    let texts: string[] = [];
    const endText = () => {
      if (texts.length === 0) return;
      const name = `text_${writes.length}` as keyof Row;
      columns.push(`concat(${texts.join(', ')}) as "${String(name)}"`);
      writes.push((row) => row[name] as string);
      texts = [];
    };
    for (const piece of piecesOf(schema, { table, alias: table }, marks, sources, columns)) {
      if ('sql' in piece) texts.push(piece.sql);
      else {
        endText();
        writes.push(piece.write);
      }
    }
    endText();
    return { columns: sql.raw<Row>(columns.join(', ')), writes };
  }

  const { columns, writes } = compose(false);
  return {
    columns,
    columnsWithMarks: compose(true).columns,
    write: (row, now) => {
      let text = '';
      for (const write of writes) text += write(row, now);
      return text as JsonText;
    },
  };
}

/** Adds to `columns` those that this process writes. */
function piecesOf<Row extends object>(
  schema: SchemaNode,
  { table, alias }: Nested,
  marks: boolean,
  sources: Readonly<Record<string, Source<Row>>>,
  columns: string[],
): Piece<Row>[] {
  const pieces: Piece<Row>[] = [];
  let head = '{';
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = notNull(property);
    const source = sources[name];
    pieces.push({ sql: `'${head}"${name}":'` });
    head = ',';
    if (typeof source === 'function') {
      const encode = compileEncoder(property as TSchema);
      pieces.push({ write: (row, now) => encode(source(row, now)) });
    } else if (source && 'table' in source) {
      pieces.push({ sql: nestedText(node, source, marks) });
    } else if (node.type === 'number') {
      const encode = compileEncoder(property as TSchema);
      columns.push(`${alias}."${name}"`);
      pieces.push({ write: (row) => encode(row[name as keyof Row]) });
    } else {
      const column = () => valueOrMark(table, name, alias, marks);
      const value = source ? (source.orColumn ? `coalesce(${source.sql}, ${column()})` : source.sql) : column();
      pieces.push({ sql: jsonOf(node, value) });
    }
  }
  pieces.push({ sql: "'}'" });
  return pieces;
}

function nestedText(node: SchemaNode, nested: Nested, marks: boolean): string {
  const columns: string[] = [];
  const texts = piecesOf(node, nested, marks, {}, columns).map((piece) => {
    if ('write' in piece) throw new Error('SQLite cannot write a float of a nested object.');
    return piece.sql;
  });
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
