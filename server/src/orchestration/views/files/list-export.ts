/** A list as a file, read page by page while it is sent. */
import type { Context } from '../../../context/context.ts';
import { readLargeValue, splitAtLargeValues } from '../../../database/lists/large-values.ts';
import type { Db } from '../../../database/store.ts';
import { maskSecrets } from '../../../encryption/mask.ts';
import { mayReadSecrets } from '../../../identity/access/permissions.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { described, OneOf, type TSchema, Type, withDefault } from '../../../schema/kinds.ts';
import { csvLine } from '../../../values/csv.ts';

export const exportQuery = Type.Object({
  format: described(
    withDefault(OneOf(['csv', 'ndjson']), 'csv'),
    'Comma-separated values with a line of names first, or one JSON object for each line.',
  ),
});

/** Rows of one read. */
const PAGE = 200;

interface Page<Row, Position> {
  readonly rows: readonly Row[];
  readonly next: Position | null;
}

/** The rows of one read: those after a position. */
export interface Part<Position> {
  readonly limit: number;
  readonly after: Position | null;
}

interface Exported<Row, Position> {
  readonly format: 'csv' | 'ndjson';
  readonly row: TSchema;
  /** In the order of the file. */
  readonly columns: readonly string[];
  readonly read: (part: Part<Position>) => Promise<Page<Row, Position>>;
}

/** The lines of the file. They go on until no row is left, or until their reader takes no more. */
export async function* linesOf<Row extends object, Position>(
  { db, role }: Context,
  exported: Exported<Row, Position>,
): AsyncGenerator<string> {
  const { format, columns, read, row } = exported;
  const encode = compileEncoder(row);
  const shown = mayReadSecrets(role) ? (json: string) => json : maskSecrets;
  const lineOf = format === 'csv' ? csvOf : jsonOf;
  if (format === 'csv') yield csvLine(columns);
  for (let after: Position | null = null; ; ) {
    const { rows, next }: Page<Row, Position> = await read({ limit: PAGE, after });
    for (const one of rows) yield lineOf(JSON.parse(shown(await wholeOf(db, encode(one)))), columns);
    if (next === null) return;
    after = next;
  }
}

/** The row with the values that lists leave out because they are large. */
async function wholeOf(db: Db, json: string): Promise<string> {
  let whole = '';
  for (const part of splitAtLargeValues(json)) {
    whole += typeof part === 'string' ? part : ((await readLargeValue(db, part)) ?? 'null');
  }
  return whole;
}

function jsonOf(row: Record<string, unknown>, columns: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`;
}

function csvOf(row: Record<string, unknown>, columns: readonly string[]): string {
  return csvLine(
    columns.map((column) => {
      const value = row[column];
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    }),
  );
}
