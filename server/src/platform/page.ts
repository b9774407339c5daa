/**
 * Lists of the platform API: `{items, meta: {nextCursor, limit}}`, ordered by id and so by age; the cursor is opaque.
 */
import type { Position } from '../database/rows.ts';
import { ValidationFailed } from '../errors.ts';
import { described, Nullable, Shape, type Static, type TSchema, Type, withDefault } from '../schema/kinds.ts';
import { FIRST_ID, isUuid, LAST_ID } from '../values/id.ts';

const MOST_NAME_CHARACTERS = 200;

export const pageQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 50),
  cursor: described(Type.Optional(Type.String()), 'The `nextCursor` of the previous page. Default: the first page.'),
});
export type PageQuery = Static<typeof pageQuery>;

/** The query of a list that can be searched by name. */
export const namedPageQuery = Type.Object({
  ...pageQuery.properties,
  name: withDefault(
    described(
      Type.String({ maxLength: MOST_NAME_CHARACTERS }),
      'Only items whose name contains this text, in upper or lower case.',
    ),
    '',
  ),
});

const PageMeta = Shape('PageMeta', { nextCursor: Nullable(Type.String()), limit: Type.Integer() }, 'ignore');

export function List<T extends TSchema>($id: string, item: T) {
  return Shape($id, { items: Type.Array(item), meta: PageMeta }, 'ignore');
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: { readonly nextCursor: string | null; readonly limit: number };
}

/** `read` returns the rows past `cursor` in this order, at most `limit` of them. */
export async function readPage<Row extends { readonly id: string }, Item>(
  query: PageQuery,
  order: Position['order'],
  read: (position: Position) => Promise<Row[]>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const start = order === 'ascending' ? FIRST_ID : LAST_ID;
  const cursor = query.cursor === undefined ? start : idOfCursor(query.cursor, 'cursor', 'a list');
  const rows = await read({ cursor, limit: query.limit + 1, order });
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(itemOf),
    meta: { nextCursor: last ? cursorOf(last.id) : null, limit: query.limit },
  };
}

export function cursorOf(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/**
 * `field` is the query's field with the cursor, `list` the list that it belongs to. Throws ValidationFailed for a text
 * that `cursorOf` did not make.
 */
export function idOfCursor(cursor: string, field: string, list: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (isUuid(id)) return id.toLowerCase();
  throw new ValidationFailed([{ type: 'value_error', loc: ['query', field], msg: `This is not a cursor of ${list}.` }]);
}
