/** The search in the logs of all runs. */
import { keepPreviousData } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { components } from '../../api/schema.gen.ts';
import type { Condition, SentCondition } from '../../components/list/fields.ts';
import type { ValuesQuery } from '../../components/list/filter-line.tsx';
import { readPast } from '../../design/span.ts';

export type FoundLine = components['schemas']['LogLine'];

const PAGE_SIZE = 50;

export interface LogsAsked {
  readonly where: SentCondition[];
  readonly conditions: readonly Condition[];
  readonly match: 'words' | 'parts';
  /** All time when it is absent. */
  readonly span: string | undefined;
}

/** The text that is searched for, as the server takes it. */
export function textOf(conditions: readonly Condition[]): string {
  return conditions
    .filter(({ field }) => field === 'q')
    .flatMap(({ values, not }) => values.map((value) => (not ? `-"${value.replaceAll('"', ' ')}"` : value)))
    .join(' ');
}

function filterAt({ where, conditions, match, span }: LogsAsked, now: number) {
  const times = span === undefined ? undefined : readPast(span, now);
  return { where, q: textOf(conditions), match, since: times?.start ?? null, until: times?.end ?? null };
}

export const foundLinesQuery = (asked: LogsAsked) =>
  read.pages(
    '/views/logs',
    (after: components['schemas']['LogPagePosition'] | null) => ({
      body: { ...filterAt(asked, Date.now()), limit: PAGE_SIZE, after },
    }),
    {
      key: asked,
      watches: ['log'],
      initialPageParam: null,
      placeholderData: keepPreviousData,
      getNextPageParam: ({ next }) => next,
    },
  );

export const logValues =
  (asked: LogsAsked): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/views/logs/values', { ...asked, ...wanted, where }, (now) => ({
      body: { ...filterAt(asked, now), ...wanted, where },
    }));
