/** Lists in pages, as `read.ts` reads them. */
import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** Reads the next page unless there is none or one is being read. For the end of a table. */
export function useMore(query: PagedQuery) {
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
}

interface PagedQuery {
  fetchNextPage(): Promise<unknown>;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
}

type ListOptions<Page, At, Key extends QueryKey = QueryKey> = UseInfiniteQueryOptions<
  Page,
  Error,
  InfiniteData<Page, At>,
  Key,
  At
>;

export interface List<Row> {
  readonly query: { readonly isPending: boolean; readonly error: unknown; readonly refetch: () => unknown };
  readonly rows: readonly Row[];
  readonly more?: () => void;
}

/** The rows read so far, and a function that reads more. */
export function useRows<Page, At, Key extends QueryKey, Row>(
  options: ListOptions<Page, At, Key>,
  rowsOf: (page: Page) => readonly Row[],
) {
  const query = useInfiniteQuery(options);
  const pages = query.data?.pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of a page are always the same.
  const rows = useMemo<readonly Row[]>(() => pages?.flatMap(rowsOf) ?? [], [pages]);
  const more = useMore(query);
  return { query, rows, more };
}

/** The rows of a list of the platform API. */
export function useList<Page extends { readonly items: readonly unknown[] }>(
  options: ListOptions<Page, string | undefined>,
) {
  return useRows(options, ({ items }: Page): readonly Page['items'][number][] => items);
}
