import { type TSchema, Type, withDefault } from '../../schema/kinds.ts';

/**
 * Query of `GET` on a collection: `limit` (at most the largest page), `offset` and `sort`. The reference has no such
 * routes (405); they save a script the POST.
 */
export function listQuery<Sort extends TSchema>(sort: Sort, fallback: string) {
  return Type.Object({
    sort: withDefault(sort, fallback),
    offset: withDefault(Type.Integer({ minimum: 0 }), 0),
    limit: Type.Optional(Type.Integer()),
  });
}
