import type { Context } from '../../context.ts';
import { ValidationFailed } from '../../errors.ts';
import { criteriaOf, type EventCriteria, filterOf } from '../../events/criteria.ts';
import type { StoredEvent } from '../../events/hub.ts';
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
import { noContent, ok, type Route, route } from '../../http/route.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { Type, withDefault } from '../../schema/kinds.ts';

type Page = Omit<PageToken, 'filter'>;

const tags = ['Events'];
const MAX_PAGE = 50;

const decodeCountable = compileDecoder(Type.Object({ countable: Countable }), 'path');

/** A collection of this size cannot be paged by offset, so a list is one page; `/events/filter` reads the rest. */
const newest = Type.Object({
  order: withDefault(EventOrder, 'DESC'),
  limit: withDefault(Type.Integer({ minimum: 0, maximum: MAX_PAGE }), MAX_PAGE),
});

export const eventRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/events',
    operationId: 'create_events_events_post',
    summary: 'Record events',
    description: 'Keeps the events, each once by its id, and shows them to streams and automations.',
    tags,
    permission: 'events:write',
    body: eventBodies.create,
    bodySize: 'large',
    responses: { 204: null },
    async handler({ context, body }) {
      const { server, workspace, now } = context;
      for (let from = 0; from < body.length; from += MAX_BATCH_EVENTS) {
        const events = body.slice(from, from + MAX_BATCH_EVENTS);
        await server.intake.write(
          workspace,
          events.map((event) => receiveEvent(workspace, now, event)),
        );
      }
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/events',
    operationId: 'list_events_events_get',
    summary: 'List events',
    description: 'One page of events, newest first, and the address of the next page. `limit` is at most 50.',
    tags,
    permission: 'events:read',
    query: newest,
    responses: { 200: Type.Array(ReceivedEvent) },
    async handler({ context, query: { order, limit } }) {
      return ok(await listEvents(context.answerDb, criteriaOf({ order }, context.now), limit));
    },
  }),
  route({
    method: 'POST',
    path: '/events/filter',
    operationId: 'read_events_events_filter_post',
    summary: 'Search events',
    description:
      'The first page of the events that match the filter, and the address of the next page. `limit` is at most 50; the time range is the last day unless the filter says more.',
    tags,
    permission: 'events:read',
    body: eventBodies.filter,
    responses: { 200: EventPage },
    async handler({ context, body: { filter, limit } }) {
      const criteria = criteriaOf(filter, context.now);
      const events = await listEvents(context.answerDb, criteria, limit);
      const count = events.length < limit ? events.length : await countEvents(context.db, criteria);
      return ok(pageOf(context, criteria, events, { count, page_size: limit, offset: 0, after: null }));
    },
  }),
  route({
    method: 'GET',
    path: '/events/filter/next',
    operationId: 'read_account_events_page_events_filter_next_get',
    summary: 'Read the next page of events',
    description:
      'Goes on where the page before ended, in the same search. The address is `next_page` of that page; its token does not end.',
    tags,
    permission: 'events:read',
    query: nextPageQuery,
    responses: { 200: EventPage },
    async handler({ context, query }) {
      const { filter, ...page } = readPageToken(query['page-token']);
      const criteria = criteriaOf(filter, context.now);
      const events = await listEvents(context.answerDb, criteria, page.page_size, page.after);
      return ok(pageOf(context, criteria, events, page));
    },
  }),
  route({
    method: 'POST',
    path: '/events/count-by/{countable}',
    operationId: 'count_account_events_events_count_by__countable__post',
    summary: 'Count events by a property',
    description:
      'Counts the matching events by day, by event name, by resource or by intervals of time (`time_unit` and `time_interval`), over at most 1,000 intervals.',
    tags,
    permission: 'events:read',
    parameters: { countable: Countable },
    body: eventBodies.count_by,
    responses: { 200: Type.Array(EventCount) },
    async handler({ context, path, body: { filter, time_unit, time_interval } }) {
      const decoded = decodeCountable(path);
      if (!decoded.ok) throw new ValidationFailed(decoded.issues);
      const criteria = criteriaOf(filter, context.now);
      // The reference refuses too many buckets even when it counts by something else.
      const asked = { ...criteria.occurred, unit: time_unit, interval: time_interval, now: context.now };
      const buckets = timeBuckets(asked);
      switch (decoded.value.countable) {
        case 'event':
          return ok(await countByName(context.db, criteria));
        case 'resource':
          return ok(await countByResource(context.db, criteria));
        case 'day':
        case 'time':
          return ok(await countInBuckets(context, criteria, buckets));
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
