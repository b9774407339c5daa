import type { StoredEvent } from '../../changes/hub.ts';
import type { Context } from '../../context/context.ts';
import { ValidationFailed } from '../../errors.ts';
import { criteriaOf, type EventCriteria, filterOf } from '../../events/criteria.ts';
import { MAX_BATCH_EVENTS } from '../../events/intake.ts';
import { type PageToken, readPageToken, writePageToken } from '../../events/page-token.ts';
import { countByName, countByResource, countByTime, countEvents, listEvents } from '../../events/queries.ts';
import { receiveEvent } from '../../events/received-event.ts';
import {
  Countable,
  EventCount,
  EventOrder,
  EventPage,
  eventBodies,
  nextPageQuery,
  ReceivedEvent,
} from '../../events/schema.ts';
import { filledBuckets, type TimeBuckets, timeBuckets } from '../../events/time-buckets.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { Type, withDefault } from '../../schema/kinds.ts';

type Page = Omit<PageToken, 'filter'>;

const { get, search, post } = routesOf('Events', 'events');
const MAX_PAGE = 50;

const decodeCountable = compileDecoder(Type.Object({ countable: Countable }), 'path');

/** Offsets into a collection of this size are too slow, so a list is one page; `/events/filter` reads the rest. */
const newest = Type.Object({
  order: withDefault(EventOrder, 'DESC'),
  limit: withDefault(Type.Integer({ minimum: 0, maximum: MAX_PAGE }), MAX_PAGE),
});

export const eventRoutes: readonly Route[] = [
  post('/events', 'create_events_events_post', {
    summary: 'Record events',
    description: 'Stores each event once, by its id, and passes it to streams and automations.',
    body: eventBodies.create,
    bodySize: 'large',
    handler: async ({ context, body }) => {
      const { server, workspace, now } = context;
      for (let from = 0; from < body.length; from += MAX_BATCH_EVENTS) {
        const events = body.slice(from, from + MAX_BATCH_EVENTS);
        await server.intake.write(
          workspace,
          events.map((event) => receiveEvent(workspace, now, event)),
        );
      }
    },
  }),
  get('/events', 'list_events_events_get', {
    summary: 'List events',
    description: 'One page of events, newest first, and the address of the next page. `limit` is at most 50.',
    query: newest,
    answers: Type.Array(ReceivedEvent),
    handler: ({ context, query: { order, limit } }) =>
      listEvents(context.answerDb, criteriaOf({ order }, context.now), limit),
  }),
  search('/events/filter', 'read_events_events_filter_post', {
    summary: 'Search events',
    description:
      'The first page of the events that match the filter, and the address of the next page. `limit` is at most 50. The default time range is the last day.',
    body: eventBodies.filter,
    answers: EventPage,
    handler: async ({ context, body: { filter, limit } }) => {
      const criteria = criteriaOf(filter, context.now);
      const events = await listEvents(context.answerDb, criteria, limit);
      const count = events.length < limit ? events.length : await countEvents(context.db, criteria);
      return pageOf(context, criteria, events, { count, page_size: limit, offset: 0, after: null });
    },
  }),
  get('/events/filter/next', 'read_account_events_page_events_filter_next_get', {
    summary: 'Read the next page of events',
    description:
      'Continues the search after the previous page. The address is `next_page` of that page; its token does not expire.',
    query: nextPageQuery,
    answers: EventPage,
    handler: async ({ context, query }) => {
      const { filter, ...page } = readPageToken(query['page-token']);
      const criteria = criteriaOf(filter, context.now);
      const events = await listEvents(context.answerDb, criteria, page.page_size, page.after);
      return pageOf(context, criteria, events, page);
    },
  }),
  search('/events/count-by/{countable}', 'count_account_events_events_count_by__countable__post', {
    summary: 'Count events by a property',
    description:
      'Counts the matching events by day, event name, resource or interval of time (`time_unit` and `time_interval`), over at most 1,000 intervals.',
    parameters: { countable: Countable },
    body: eventBodies.count_by,
    answers: Type.Array(EventCount),
    handler: async ({ context, path, body: { filter, time_unit, time_interval } }) => {
      const decoded = decodeCountable(path);
      if (!decoded.ok) throw new ValidationFailed(decoded.issues);
      const criteria = criteriaOf(filter, context.now);
      // The reference refuses too many buckets even when it counts by another property.
      const asked = { ...criteria.occurred, unit: time_unit, interval: time_interval, now: context.now };
      const buckets = timeBuckets(asked);
      switch (decoded.value.countable) {
        case 'event':
          return await countByName(context.db, criteria);
        case 'resource':
          return await countByResource(context.db, criteria);
        case 'day':
        case 'time':
          return await countInBuckets(context, criteria, buckets);
      }
    },
  }),
];

/** The page of `events`, with the address of the next page if there is one. */
function pageOf({ client }: Context, criteria: EventCriteria, events: readonly StoredEvent[], page: Page) {
  const last = events.at(-1);
  const token: PageToken = {
    ...page,
    filter: filterOf(criteria),
    offset: page.offset + page.page_size,
    after: last ? { occurred: last.occurred, id: last.id } : page.after,
  };
  const hasMore = token.offset < page.count;
  const next_page = hasMore ? `${client.apiUrl}/events/filter/next?page-token=${writePageToken(token)}` : null;
  return { events, total: page.count, next_page };
}

async function countInBuckets(context: Context, criteria: EventCriteria, buckets: TimeBuckets) {
  if (buckets.starts.length === 0) return [];
  return filledBuckets(buckets, await countByTime(context.db, criteria, buckets));
}
