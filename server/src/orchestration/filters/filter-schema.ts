/**
 * Building blocks of filters and their routes. A filter is a shape of criteria; each criterion is a small shape whose
 * fields end in an underscore. An absent or null criterion sets no condition.
 */
import { DateTime, Enum, Maybe, Parts, Shape, type TSchema, Type, Uuid, withDefault } from '../../schema/kinds.ts';
import { Prefixes, SearchedText, ValueList } from '../../schema/value-list.ts';

const Operator = Enum('Operator', ['and_', 'or_']);

/** Combines the criteria of the same shape; it does not apply to nested shapes. */
export const operator = withDefault(Operator, 'and_');

export const ids = Maybe(ValueList(Uuid()));
export const texts = Maybe(ValueList(SearchedText));
export const prefixes = Maybe(Prefixes);
export const text = Maybe(SearchedText);
export const time = Maybe(DateTime());
export const integer = Maybe(Type.Integer());
export const flag = Maybe(Type.Boolean());

/** At most 200 characters, because a search text becomes several conditions of a query. */
export const searchText = Type.String({ maxLength: 200 });

export const offset = withDefault(Type.Integer({ minimum: 0 }), 0);
/** A setting gives the default and the largest value, so the handler checks it (422 `{"detail": ...}`). */
export const limit = Type.Optional(Type.Integer());
/** The first page is 1. */
export const page = withDefault(Type.Integer({ minimum: 1 }), 1);
/** Largest number of objects that one bulk request changes. */
export const bulkLimit = withDefault(Type.Integer({ minimum: 1, maximum: 50 }), 50);

/** One page of a list. */
export function Page<Item extends TSchema>($id: string, item: Item) {
  return Shape(
    $id,
    {
      results: Type.Array(item),
      count: Type.Integer(),
      limit: Type.Integer(),
      pages: Type.Integer(),
      page: Type.Integer(),
    },
    'ignore',
  );
}

/** The body of a bulk deletion. `filter` selects the objects to delete. */
export function BulkDelete<Filter extends Record<string, TSchema>>($id: string, filter: Filter) {
  return Parts({ ...filter, limit: bulkLimit }, $id);
}

/** The ids that a bulk deletion removed. */
export function BulkDeleted($id: string) {
  return Shape($id, { deleted: Type.Optional(Type.Array(Uuid())) }, 'ignore');
}
