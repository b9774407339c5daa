/** Lists of the platform API: pages with cursors. */
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: { readonly nextCursor: string | null };
}

type Read<Item> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;

export const PAGE_SIZE = 100;

export function listQuery<Item>(queryKey: readonly unknown[], read: Read<Item>) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
}

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

/** The rows read so far, and a function that reads more. */
export function useList<Item>(options: ReturnType<typeof listQuery<Item>>) {
  const query = useInfiniteQuery(options);
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const more = useMore(query);
  return { query, rows, more };
}
