import { keepPreviousData } from '@tanstack/react-query';
import type { components } from '../api/platform.gen.ts';
import { PAGE_SIZE, platformRead as read } from '../api/read.ts';
import { platformPath } from '../api/workspace.ts';
import type { SentCondition } from '../components/list/fields.ts';
import type { ValuesQuery } from '../components/list/filter-line.tsx';
import type { ExportFormat } from '../components/list/list-actions.tsx';
import { isRelative, readPast } from '../design/span.ts';

export type ServerRequest = components['schemas']['ServerRequest'];
export type UsageItem = components['schemas']['UsageItem'];

const INTERVALS = 60;
const ASK_AGAIN_MILLISECONDS = 10_000;

interface Asked {
  readonly where: SentCondition[];
  readonly span: string | undefined;
}

/** A relative span ends when the server reads it. */
function timesOf(span: string | undefined) {
  const { start, end } = readPast(span, Date.now());
  return { since: start, until: isRelative(span) ? undefined : end };
}

export function requestsQuery(org: string, asked: Asked) {
  return read.pages(
    '/organizations/{org}/views/requests',
    (cursor: string | undefined) => ({
      params: {
        path: { org },
        query: {
          where: JSON.stringify(asked.where),
          limit: PAGE_SIZE,
          buckets: INTERVALS,
          cursor,
          ...timesOf(asked.span),
        },
      },
    }),
    {
      key: [org, asked],
      refetchInterval: ASK_AGAIN_MILLISECONDS,
      placeholderData: keepPreviousData,
      initialPageParam: undefined,
      getNextPageParam: ({ requests }) => requests.meta.nextCursor ?? undefined,
    },
  );
}

export const requestValues =
  (org: string, span: string | undefined): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/organizations/{org}/views/requests/values', [org, span, where, wanted], () => ({
      params: { path: { org }, query: { where: JSON.stringify(where), ...wanted, ...timesOf(span) } },
    }));

export function exportAddress(org: string, { where, span }: Asked, format: ExportFormat): string {
  const { since, until } = timesOf(span);
  const query = new URLSearchParams({ format, where: JSON.stringify(where), since, ...(until ? { until } : {}) });
  return `${platformPath}/organizations/${encodeURIComponent(org)}/views/requests/export?${query}`;
}

/** `open` contains the ids of the server and the request. */
export function requestQuery(org: string, open: string) {
  const [server = '', id = ''] = open.split('/');
  return read.one('/organizations/{org}/servers/{server}/requests/{id}', { params: { path: { org, server, id } } });
}
