/** Lists of the platform API: `{items, meta: {nextCursor, limit}}`, by id, which is by age; the cursor is opaque. */
import { ValidationFailed } from '../errors.ts';
import { isUuid } from '../id.ts';
import { Nullable, Shape, type Static, type TSchema, Type, withDefault } from '../schema/kinds.ts';

export const pageQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 50),
  cursor: Type.Optional(Type.String()),
});
export type PageQuery = Static<typeof pageQuery>;

const PageMeta = Shape('PageMeta', { nextCursor: Nullable(Type.String()), limit: Type.Integer() }, 'ignore');

export function List<T extends TSchema>($id: string, item: T) {
  return Shape($id, { items: Type.Array(item), meta: PageMeta }, 'ignore');
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: { readonly nextCursor: string | null; readonly limit: number };
}

/** Before every id and after every id: where the first page of an ascending and of a descending list begins. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** `read` answers the rows past `cursor`, at most `limit` of them. */
export async function readPage<Row extends { readonly id: string }, Item>(
  query: PageQuery,
  order: 'ascending' | 'descending',
  read: (position: { cursor: string; limit: number }) => Promise<Row[]>,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const start = order === 'ascending' ? FIRST_ID : LAST_ID;
  const cursor = query.cursor === undefined ? start : idOfCursor(query.cursor);
  const rows = await read({ cursor, limit: query.limit + 1 });
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(itemOf),
    meta: { nextCursor: last ? Buffer.from(last.id).toString('base64url') : null, limit: query.limit },
  };
}

function idOfCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (isUuid(id)) return id.toLowerCase();
  throw new ValidationFailed([{ type: 'value_error', loc: ['query', 'cursor'], msg: 'This is no cursor of a list.' }]);
}
