/**
 * Makes queries for TanStack Query from the paths of the two APIs. A query's key is its path and its parameters, so a
 * change names the paths whose answers it makes old. No path is in both APIs.
 */
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
  type UseInfiniteQueryOptions,
  type UseQueryOptions,
} from '@tanstack/react-query';
import type { Client, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import { answered, api, platform } from './client.ts';
import type { paths as PlatformPaths } from './platform.gen.ts';
import { queries } from './query-client.ts';
import type { paths } from './schema.gen.ts';

/** A path with GET is read with it. The others are questions with a body. */
type Method<Item> = Item extends { get: object } ? 'get' : 'post';
type Init<Item> = NonNullable<MaybeOptionalInit<Item, Method<Item> & keyof Item>> &
  (Method<Item> extends 'post' ? { readonly body: unknown } : unknown);
type Data<Item> = NonNullable<
  FetchResponse<Item[Method<Item> & keyof Item] & object, object, `${string}/${string}`>['data']
>;

interface Common {
  /** Kinds or ids of the objects whose changes make the answer old, as `live.ts` reports them. */
  readonly watches?: readonly string[];
}

type One<Answer, Selected> = Common &
  Omit<UseQueryOptions<Answer, Error, Selected>, 'queryKey' | 'queryFn' | 'meta' | 'initialData'>;

type InfiniteOptions<Page, At> = UseInfiniteQueryOptions<Page, Error, InfiniteData<Page, At>, QueryKey, At>;

interface Paged<Page, At>
  extends Common,
    Omit<InfiniteOptions<Page, At>, 'queryKey' | 'queryFn' | 'meta' | 'initialData' | 'select'> {
  /** Stands for what is sent, where that depends on the time. */
  readonly key?: unknown;
}

type Cursor = string | undefined;

export const PAGE_SIZE = 100;

function readerOf<Paths extends object>(client: Client<Paths>) {
  type Path = keyof Paths & string;

  const ask = <P extends Path>(path: P, init: Init<Paths[P]>, signal: AbortSignal) => {
    const request = client.request as (...sent: unknown[]) => Promise<{ data?: Data<Paths[P]>; response: Response }>;
    return answered(request('body' in init ? 'post' : 'get', path, { ...init, signal }));
  };

  /** One answer. `make` says what is sent at a time in milliseconds, and `key` stands for it. */
  const timed = <P extends Path, Selected = Data<Paths[P]>>(
    path: P,
    key: unknown,
    make: (now: number) => Init<Paths[P]>,
    { watches, ...options }: One<Data<Paths[P]>, Selected> = {},
  ) =>
    queryOptions<Data<Paths[P]>, Error, Selected>({
      ...options,
      queryKey: [path, key],
      queryFn: ({ signal }) => ask(path, make(Date.now()), signal),
      meta: { watches },
    });

  const one = <P extends Path, Selected = Data<Paths[P]>>(
    path: P,
    init: Init<Paths[P]>,
    options?: One<Data<Paths[P]>, Selected>,
  ) => timed(path, init, () => init, options);

  /** A list in pages. `make` says what is sent for a position. */
  const pages = <P extends Path, At>(
    path: P,
    make: (at: At) => Init<Paths[P]>,
    { watches, key, ...options }: Paged<Data<Paths[P]>, At>,
  ) =>
    infiniteQueryOptions<Data<Paths[P]>, Error, InfiniteData<Data<Paths[P]>, At>, QueryKey, At>({
      ...options,
      queryKey: [path, key ?? make(options.initialPageParam as At), 'pages'],
      queryFn: ({ pageParam, signal }) => ask(path, make(pageParam as At), signal),
      meta: { watches },
    });

  /** A list of the platform API, whose pages have cursors. */
  const list = <P extends Path>(
    path: P,
    init: Init<Paths[P]>,
    options?: Omit<Paged<Data<Paths[P]>, Cursor>, 'initialPageParam' | 'getNextPageParam'>,
  ) => {
    const { params } = init as { params?: { query?: object } };
    const make = (cursor: Cursor) =>
      ({ ...init, params: { ...params, query: { limit: PAGE_SIZE, ...params?.query, cursor } } }) as Init<Paths[P]>;
    return pages<P, Cursor>(path, make, { ...options, initialPageParam: undefined, getNextPageParam: nextCursor });
  };

  return { one, timed, pages, list };
}

/** The cursor of the page after this one; undefined after the last page. */
export function nextCursor(page: unknown): Cursor {
  return (page as { readonly meta: { readonly nextCursor: string | null } }).meta.nextCursor ?? undefined;
}

export const read = readerOf(api);
export const platformRead = readerOf(platform);

type AnyPath = keyof paths | keyof PlatformPaths;

/**
 * Asks the queries of these paths again, with whatever they sent. A path that ends in `/*` means those below it too;
 * without, the page of an object that was deleted is not asked again with its list.
 */
export function invalidate(...changed: readonly (AnyPath | `${AnyPath}/*`)[]): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      changed.some((one) => (one.endsWith('/*') ? `${path}/`.startsWith(one.slice(0, -1)) : path === one)),
  });
}
