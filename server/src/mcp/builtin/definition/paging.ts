/** Pages of the lists of tools: short by default, with a cursor between them that only the tool interprets. */
import { described, Type, withDefault } from '../../../schema/kinds.ts';
import { ToolRefusal } from './tool.ts';

const DEFAULT_PAGE = 20;
const LARGEST_PAGE = 100;

export const pageInput = {
  limit: described(
    withDefault(Type.Integer({ minimum: 1, maximum: LARGEST_PAGE }), DEFAULT_PAGE),
    `Items per page, at most ${LARGEST_PAGE}. Request few.`,
  ),
  cursor: described(
    Type.Optional(Type.String({ maxLength: 20_000 })),
    'The `next_cursor` of the previous page. Keep the other arguments the same.',
  ),
};

export const pageOutput = {
  next_cursor: described(Type.Optional(Type.String()), 'Absent on the last page.'),
};

/** Encodes the position of the next page. Returns no cursor when `position` is null or undefined: the page is the last. */
export function cursorOf(position: unknown): { next_cursor?: string } {
  if (position === null || position === undefined) return {};
  return { next_cursor: Buffer.from(JSON.stringify(position)).toString('base64url') };
}

const NOT_A_CURSOR = 'cursor: it is not one that this tool gave. Leave it out to begin with the first page.';

/** The position in a cursor; undefined without one. Throws ToolRefusal for a text that is not a cursor. */
export function positionIn<Position>(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Position;
  } catch {
    throw new ToolRefusal(NOT_A_CURSOR);
  }
}

/** Like `positionIn`, for a list that counts its items. Throws ToolRefusal. */
export function offsetIn(cursor: string | undefined): number {
  const offset = positionIn<unknown>(cursor) ?? 0;
  if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new ToolRefusal(NOT_A_CURSOR);
}
