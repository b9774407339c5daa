import { keepPreviousData } from '@tanstack/react-query';
import type { components } from '../api/platform.gen.ts';
import { PAGE_SIZE, platformRead as read } from '../api/read.ts';
import { readSpan } from '../design/span.ts';
import type { RequestsSearch } from './filters.ts';

export type ServerRequest = components['schemas']['ServerRequest'];
export type UsageItem = components['schemas']['UsageItem'];

const INTERVALS = 60;
const ASK_AGAIN_MILLISECONDS = 10_000;

export function requestsQuery(org: string, { open: _, ...filters }: RequestsSearch) {
  const { span, actor, ...given } = filters;
  return read.pages(
    '/organizations/{org}/views/requests',
    (cursor: string | undefined) => {
      const { start, end } = readSpan(span, Date.now());
      // A relative span ends now.
      const until = span?.includes('/') ? end : undefined;
      return {
        params: {
          path: { org },
          query: { ...given, actorId: actor, limit: PAGE_SIZE, buckets: INTERVALS, since: start, until, cursor },
        },
      };
    },
    {
      key: [org, filters],
      refetchInterval: ASK_AGAIN_MILLISECONDS,
      placeholderData: keepPreviousData,
      initialPageParam: undefined,
      getNextPageParam: ({ requests }) => requests.meta.nextCursor ?? undefined,
    },
  );
}

/** `open` contains the ids of the server and the request. */
export function requestQuery(org: string, open: string) {
  const [server = '', id = ''] = open.split('/');
  return read.one('/organizations/{org}/servers/{server}/requests/{id}', { params: { path: { org, server, id } } });
}
