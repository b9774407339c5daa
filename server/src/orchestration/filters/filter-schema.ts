/**
 * The parts that filters and their routes are made of. A filter is a shape of criteria; each criterion is a small shape
 * of its own whose fields end in an underscore. Absent and null are no condition.
 */
import {
  DateTime,
  Enum,
  Maybe,
  Parts,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { Prefixes, SearchedText, ValueList } from '../../schema/value-list.ts';

export const Operator = Enum('Operator', ['and_', 'or_']);
export type Operator = Static<typeof Operator>;

/** How the criteria beside it are combined; it does not reach into shapes below. */
export const operator = withDefault(Operator, 'and_');

export const ids = Maybe(ValueList(Uuid()));
export const texts = Maybe(ValueList(SearchedText));
export const prefixes = Maybe(Prefixes);
export const text = Maybe(SearchedText);
export const time = Maybe(DateTime());
export const integer = Maybe(Type.Integer());
export const flag = Maybe(Type.Boolean());

/** At most 200 characters: a search text becomes several conditions of a query. */
export const searchText = Type.String({ maxLength: 200 });

export const offset = withDefault(Type.Integer({ minimum: 0 }), 0);
/** The default and the largest value are a setting, so a handler checks it (422 `{"detail": ...}`). */
export const limit = Type.Optional(Type.Integer());
/** Pages are counted from 1. */
export const page = withDefault(Type.Integer({ minimum: 1 }), 1);
/** How many objects one bulk request changes. */
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

/** The body of a bulk deletion: `filter` is the part that says what goes. */
export function BulkDelete<Filter extends Record<string, TSchema>>($id: string, filter: Filter) {
  return Parts({ ...filter, limit: bulkLimit }, $id);
}

/** The ids that a bulk deletion removed. */
export function BulkDeleted($id: string) {
  return Shape($id, { deleted: Type.Optional(Type.Array(Uuid())) }, 'ignore');
}
