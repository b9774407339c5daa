/** Queries of the pages of events: a page of events with their number over time, and one event. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import type { Condition, SentCondition } from '../components/list/fields.ts';
import type { ValuesQuery } from '../components/list/filter-line.tsx';
import type { ExportFormat } from '../components/list/list-actions.tsx';
import { saveExport } from '../components/list/save-export.ts';
import { readPast } from '../design/span.ts';
import { intervalOf } from './event-intervals.ts';

export type ReceivedEvent = components['schemas']['ReceivedEvent'];

const PAGE_SIZE = 50;
const DAY_MILLISECONDS = 86_400_000;

export interface EventsAsked {
  readonly where: SentCondition[];
  readonly conditions: readonly Condition[];
  readonly span: string | undefined;
}

/** The filter of the list, as the server takes it at this time. */
function filterAt({ where, conditions, span }: EventsAsked, now: number) {
  const { start, end } = readPast(span, now);
  const words = conditions.filter(({ field }) => field === 'q').flatMap(({ values }) => values);
  return { where, since: start, until: end, q: words.length > 0 ? words.join(' ') : null };
}

export const eventsQuery = (asked: EventsAsked) =>
  read.pages(
    '/views/events',
    (after: components['schemas']['EventPagePosition'] | null) => {
      const filter = filterAt(asked, Date.now());
      const span = { start: filter.since, end: filter.until };
      return {
        body: { ...filter, limit: PAGE_SIZE, after, ...(after ? {} : { interval_seconds: intervalOf(span) }) },
      };
    },
    {
      key: asked,
      watches: ['event'],
      initialPageParam: null,
      placeholderData: keepPreviousData,
      getNextPageParam: ({ next }) => next,
    },
  );

export const eventValues =
  (asked: EventsAsked): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/views/events/values', { ...asked, ...wanted, where }, (now) => ({
      body: { ...filterAt(asked, now), ...wanted, where },
    }));

/** Saves the events of the list. */
export function exportEvents(asked: EventsAsked, format: ExportFormat): Promise<void> {
  const body = filterAt(asked, Date.now());
  return saveExport('events', format, () =>
    answered(api.POST('/views/events/export', { params: { query: { format } }, body, parseAs: 'blob' })),
  );
}

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
