/** Lists in pages, as `read.ts` reads them. */
import { type InfiniteData, type UseInfiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
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

type ListOptions<Page> = UseInfiniteQueryOptions<
  Page,
  Error,
  InfiniteData<Page, string | undefined>,
  readonly unknown[],
  string | undefined
>;

/** The rows read so far, and a function that reads more. */
export function useList<Page extends { readonly items: readonly unknown[] }>(options: ListOptions<Page>) {
  const query = useInfiniteQuery(options);
  const pages = query.data?.pages;
  const rows = useMemo<Page['items'][number][]>(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const more = useMore(query);
  return { query, rows, more };
}
