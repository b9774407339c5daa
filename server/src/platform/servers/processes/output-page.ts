import type { PlatformDb } from '../../../database/store.ts';
import type { StoredOutput } from '../../../mcp/hosting/output/stored-output.ts';
import type { Static } from '../../../schema/kinds.ts';
import { FIRST_ID, LAST_ID } from '../../../values/id.ts';
import { cursorOf, idOfCursor } from '../../page.ts';
import type { OutputPage, outputQuery } from './schema.ts';

/** Without a cursor the latest lines, with a cursor the lines after it; the latest last. */
export async function readOutput(
  db: PlatformDb,
  output: StoredOutput,
  owner_id: string,
  query: Static<typeof outputQuery>,
): Promise<Static<typeof OutputPage>> {
  const after = query.cursor === undefined ? FIRST_ID : idOfCursor(query.cursor, 'cursor', 'output');
  const before = query.before === undefined ? LAST_ID : idOfCursor(query.before, 'before', 'output');
  const range = { owner_id, after, before, limit: query.limit };
  const rows =
    query.cursor === undefined ? (await db.all(output.newest, range)).reverse() : await db.all(output.oldest, range);
  const first = rows[0];
  const isBeginning = query.cursor === undefined && rows.length < query.limit;
  return {
    items: rows.map(({ id, occurred, stream, message }) => ({ id, occurredAt: occurred, stream, message })),
    meta: {
      nextCursor: cursorOf(rows.at(-1)?.id ?? after),
      previousCursor: isBeginning || !first ? null : cursorOf(first.id),
      limit: query.limit,
    },
  };
}
