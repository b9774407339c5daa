import type { Context } from '../../context.ts';
import { checkPageLimit } from '../../page-limit.ts';
import { type TSchema, Type, withDefault } from '../../schema/kinds.ts';

/** The number of rows to return: the requested number, or else the largest page. Throws Unprocessable. */
export function pageLimit(context: Context, limit: number | undefined): number {
  const largest = context.server.config.apiMaxLimit;
  if (limit === undefined) return largest;
  checkPageLimit(limit, largest);
  return limit;
}

/** The part of a sorted list that a query returns. */
export interface ListPart<Sort> {
  readonly sort: Sort;
  readonly limit: number;
  readonly offset: number;
}

/** The part that a request asks for. Throws Unprocessable. */
export function partOf<Sort>(
  context: Context,
  { sort, offset, limit }: { readonly sort: Sort; readonly offset: number; readonly limit?: number | undefined },
): ListPart<Sort> {
  return { sort, offset, limit: pageLimit(context, limit) };
}

/** One page of a list, in the shape of the `/paginate` routes. `page` counts from 1. */
export interface Page<Item> {
  readonly results: readonly Item[];
  readonly count: number;
  readonly limit: number;
  readonly pages: number;
  readonly page: number;
}

export function pageOf<Item>(results: readonly Item[], count: number, limit: number, page: number): Page<Item> {
  return { results, count, limit, pages: limit === 0 ? 0 : Math.ceil(count / limit), page };
}

/**
 * Query of `GET` on a collection: `limit` (at most the largest page), `offset` and `sort`. The Prefect server answers
 * 405; these routes save a script the POST.
 */
export function listQuery<Sort extends TSchema>(sort: Sort, fallback: string) {
  return Type.Object({
    sort: withDefault(sort, fallback),
    offset: withDefault(Type.Integer({ minimum: 0 }), 0),
    limit: Type.Optional(Type.Integer()),
  });
}
