import type { Context } from '../../context/context.ts';
import type { Db } from '../../database/store.ts';
import { type TSchema, Type, withDefault } from '../../schema/kinds.ts';
import { checkPageLimit } from '../../values/page-limit.ts';

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

interface Asked<Sort> {
  readonly sort?: Sort;
  readonly offset: number;
  readonly limit?: number | undefined;
}

/** The fields of a body that are neither an order nor a part of the list. */
type Filters<Body> = Omit<Body, 'sort' | 'offset' | 'page' | 'limit'>;

/** The part that a request asks for. Without a choice of orders, `sort` is undefined. Throws Unprocessable. */
export function partOf<Sort = undefined>(context: Context, { sort, offset, limit }: Asked<Sort>): ListPart<Sort> {
  return { sort: sort as Sort, offset, limit: pageLimit(context, limit) };
}

/** The filters of a body, and the part of the matching rows that it asks for. Throws Unprocessable. */
export function filtersAndPart<Body extends Asked<unknown>>(
  context: Context,
  body: Body,
): [filters: Filters<Body>, part: ListPart<Body['sort']>] {
  const { sort, offset, limit, ...filters } = body;
  return [filters as Filters<Body>, partOf(context, { sort, offset, limit })];
}

/** One page of a list, in the shape of the `/paginate` routes; its results may be JSON. `page` counts from 1. */
interface Page<Results> {
  readonly results: Results;
  readonly count: number;
  readonly limit: number;
  readonly pages: number;
  readonly page: number;
}

export function pageOf<Results>(results: Results, count: number, limit: number, page: number): Page<Results> {
  return { results, count, limit, pages: limit === 0 ? 0 : Math.ceil(count / limit), page };
}

/** The page of a list that a body of a `/paginate` route asks for. Throws Unprocessable. */
export async function paginated<Body extends Omit<Asked<unknown>, 'offset'> & { readonly page: number }, Results>(
  context: Context,
  body: Body,
  list: (context: Context, filters: Filters<Body>, part: ListPart<Body['sort']>) => Promise<Results>,
  countMatching: (db: Db, filters: Filters<Body>) => Promise<number>,
): Promise<Page<Results>> {
  const { sort, page, limit: asked, ...others } = body;
  const filters = others as Filters<Body>;
  const limit = pageLimit(context, asked);
  const [results, count] = await Promise.all([
    list(context, filters, { sort, limit, offset: (page - 1) * limit }),
    countMatching(context.db, filters),
  ]);
  return pageOf(results, count, limit, page);
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
