import { FIRST_ID, LAST_ID } from '../../id.ts';
import type { Static } from '../../schema/kinds.ts';
import type { Timestamp } from '../../time.ts';
import { cursorOf, idOfCursor } from '../cursor.ts';
import type { OutputPage, outputQuery } from './schema.ts';

export interface OutputRow {
  readonly id: string;
  readonly occurred: Timestamp;
  readonly stream: string;
  readonly message: string;
}

interface Range {
  readonly after: string;
  readonly before: string;
  readonly limit: number;
}

/** Reads of output: the oldest and the newest lines of a range, each in its own order. */
export interface OutputReads {
  oldest(range: Range): Promise<OutputRow[]>;
  newest(range: Range): Promise<OutputRow[]>;
}

/** Without a cursor the newest lines, with one those that came after it; the newest last. */
export async function readOutput(
  query: Static<typeof outputQuery>,
  reads: OutputReads,
): Promise<Static<typeof OutputPage>> {
  const after = query.cursor === undefined ? FIRST_ID : idOfCursor(query.cursor, 'cursor', 'output');
  const before = query.before === undefined ? LAST_ID : idOfCursor(query.before, 'before', 'output');
  const range = { after, before, limit: query.limit };
  const rows = query.cursor === undefined ? (await reads.newest(range)).reverse() : await reads.oldest(range);
  const first = rows[0];
  const isBeginning = query.cursor === undefined && rows.length < query.limit;
  return {
    items: rows.map(({ id, occurred, stream, message }) => ({
      id,
      occurredAt: occurred,
      stream: stream as 'stdout',
      message,
    })),
    meta: {
      nextCursor: cursorOf(rows.at(-1)?.id ?? after),
      previousCursor: isBeginning || !first ? null : cursorOf(first.id),
      limit: query.limit,
    },
  };
}
