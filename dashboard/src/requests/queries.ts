import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, platform } from '../api/client.ts';
import type { components } from '../api/platform.gen.ts';
import { readSpan } from '../runs/span.ts';
import type { RequestsSearch } from './filters.ts';

export type ServerRequest = components['schemas']['ServerRequest'];
export type UsageItem = components['schemas']['UsageItem'];

const PAGE_SIZE = 100;
const INTERVALS = 60;
const ASK_AGAIN_MILLISECONDS = 10_000;

export function requestsQuery(org: string, search: RequestsSearch) {
  const { open: _, ...filters } = search;
  return infiniteQueryOptions({
    queryKey: ['requests', org, filters],
    refetchInterval: ASK_AGAIN_MILLISECONDS,
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const { server, actor, capability, method, client, outcome, errors, span } = filters;
      const { start, end } = readSpan(span, Date.now());
      const given = { server, actorId: actor, capability, method, client, outcome, errors };
      return answered(
        platform.GET('/organizations/{org}/views/requests', {
          signal,
          params: {
            path: { org },
            query: {
              ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given),
              limit: PAGE_SIZE,
              buckets: INTERVALS,
              since: start,
              // A relative span ends now.
              ...(span?.includes('/') ? { until: end } : {}),
              ...(pageParam === undefined ? {} : { cursor: pageParam }),
            } as never,
          },
        }),
      );
    },
    getNextPageParam: ({ requests }) => requests.meta.nextCursor ?? undefined,
  });
}

/** `open` contains the ids of the server and the request. */
export function requestQuery(org: string, open: string) {
  const [server = '', id = ''] = open.split('/');
  return queryOptions({
    queryKey: ['request', org, open],
    queryFn: ({ signal }) =>
      answered(
        platform.GET('/organizations/{org}/servers/{server}/requests/{id}', {
          signal,
          params: { path: { org, server, id } },
        }),
      ),
  });
}
