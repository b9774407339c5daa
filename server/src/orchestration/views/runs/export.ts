/** A list of runs as a file, read page by page while it is sent. */
import { readLargeValue, splitAtLargeValues } from '../../../database/lists/large-values.ts';
import type { Db } from '../../../database/store.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import type { TSchema } from '../../../schema/kinds.ts';
import { csvLine } from '../../../values/csv.ts';
import type { RunPosition } from './run-position.ts';

/** Rows of one read. */
const PAGE = 200;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: RunPosition | null;
}

interface Exported<Row> {
  readonly format: 'csv' | 'ndjson';
  readonly row: TSchema;
  /** In the order of the file. */
  readonly columns: readonly string[];
  readonly read: (part: { readonly limit: number; readonly after: RunPosition | null }) => Promise<Page<Row>>;
}

/** The text of the file, in pieces. It goes on until no run is left, or until its reader is gone. */
export async function* linesOf<Row extends object>(db: Db, exported: Exported<Row>): AsyncGenerator<string> {
  const { format, columns, read, row } = exported;
  const encode = compileEncoder(row);
  const lineOf = format === 'csv' ? csvOf : jsonOf;
  if (format === 'csv') yield csvLine(columns);
  for (let after: RunPosition | null = null; ; ) {
    const { rows, next }: Page<Row> = await read({ limit: PAGE, after });
    for (const one of rows) yield lineOf(await wholeOf(db, encode(one)), columns);
    if (next === null) return;
    after = next;
  }
}

/** The row with the values that lists leave out because they are large. */
async function wholeOf(db: Db, json: string): Promise<Record<string, unknown>> {
  let whole = '';
  for (const part of splitAtLargeValues(json)) {
    whole += typeof part === 'string' ? part : ((await readLargeValue(db, part)) ?? 'null');
  }
  return JSON.parse(whole);
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
