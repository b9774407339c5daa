/** Queries of the pages of events: a page of events, and their number over time. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import { readSpan, type Span } from '../design/span.ts';
import { filterOf, intervalOf } from './event-filter.ts';
import type { EventsSearch } from './events-search.ts';

export type ReceivedEvent = components['schemas']['ReceivedEvent'];

const PAGE_SIZE = 50;
const DAY_MILLISECONDS = 86_400_000;
/** Spans end at multiples of this, so that a repeated query of a page is equal. */
const STEP_MILLISECONDS = 10_000;
function spanOf(search: EventsSearch, now: number): Span {
  return readSpan(search.span, Math.ceil(now / STEP_MILLISECONDS) * STEP_MILLISECONDS);
}

export function eventsQuery(search: EventsSearch) {
  return infiniteQueryOptions({
    queryKey: ['/events/filter', search, 'pages'],
    meta: { watches: ['event'] },
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      answered(
        pageParam === null
          ? api.POST('/events/filter', {
              signal,
              body: { filter: filterOf(search, spanOf(search, Date.now())), limit: PAGE_SIZE },
            })
          : api.GET('/events/filter/next', { signal, params: { query: { 'page-token': pageParam } } }),
      ),
    // The address of the next page is absolute; only its token is used.
    getNextPageParam: ({ next_page }) =>
      next_page === null ? null : new URL(next_page).searchParams.get('page-token'),
  });
}

export const eventCountsQuery = (search: EventsSearch) =>
  read.timed(
    '/events/count-by/{countable}',
    search,
    (now) => {
      const span = spanOf(search, now);
      return {
        params: { path: { countable: 'time' } },
        body: { filter: filterOf(search, span), time_unit: 'second' as const, time_interval: intervalOf(span) },
      };
    },
    { watches: ['event'], placeholderData: keepPreviousData },
  );

/** Names of the events of a span, most frequent first. */
export const eventNamesQuery = (span: string | undefined) =>
  read.timed('/events/count-by/{countable}', ['event', span], (now) => {
    const { start, end } = spanOf({ span }, now);
    return {
      params: { path: { countable: 'event' } },
      body: {
        filter: { occurred: { since: start, until: end }, order: 'DESC' as const },
        time_unit: 'day' as const,
        time_interval: 1,
      },
    };
  });

/**
 * `date` is the day on which it occurred in UTC, or the day after. Throws Problem 404 when the event does not exist.
 */
export function eventQuery(date: string, id: string) {
  return queryOptions({
    queryKey: ['/events/filter', id],
    queryFn: async ({ signal }) => {
      const day = Date.parse(date.slice(0, 10));
      const occurred = Number.isNaN(day)
        ? {}
        : {
            occurred: {
              since: new Date(day - DAY_MILLISECONDS).toISOString(),
              until: new Date(day + DAY_MILLISECONDS).toISOString(),
            },
          };
      const { events } = await answered(
        api.POST('/events/filter', {
          signal,
          body: { filter: { ...occurred, id: { id: [id] }, order: 'DESC' }, limit: 1 },
        }),
      );
      const [event] = events;
      if (!event)
        throw new Problem(404, 'No event with this id is stored. Events are deleted when their time is over.');
      return event;
    },
  });
}
