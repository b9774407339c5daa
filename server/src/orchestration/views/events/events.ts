/** Pages of events, newest first, with their number over time and the values by which they can be narrowed. */
import type { StoredEvent } from '../../../changes/hub.ts';
import type { Context } from '../../../context/context.ts';
import { checkValues } from '../../../database/lists/where.ts';
import type { FieldValues } from '../../../database/lists/where-schema.ts';
import { criteriaOf, type EventCriteria } from '../../../events/criteria.ts';
import { eventFields } from '../../../events/fields.ts';
import { countByTime, countEvents, type EventPosition, listEvents } from '../../../events/queries.ts';
import { ReceivedEvent } from '../../../events/schema.ts';
import { filledBuckets, timeBuckets } from '../../../events/time-buckets.ts';
import { readEventValues } from '../../../events/values.ts';
import { withinWindow } from '../../../events/window.ts';
import { FIRST_ID } from '../../../values/id.ts';
import { linesOf, type Part } from '../files/list-export.ts';
import { type EventsViewBody, type EventsViewFilter, type EventValuesBody, eventColumns } from './events-schema.ts';

export async function readEventsView(context: Context, body: EventsViewBody) {
  const criteria = narrowed(context, body);
  const [page, sums] = await Promise.all([
    readEventPage(context, criteria, body),
    body.interval_seconds ? readEventSums(context, criteria, body.interval_seconds) : noSums,
  ]);
  return { as_of: context.now, ...page, ...sums };
}

/** Every event that the list with this filter has. */
export function exportEvents(context: Context, filter: EventsViewFilter, format: 'csv' | 'ndjson') {
  const criteria = narrowed(context, filter);
  return linesOf(context, {
    format,
    row: ReceivedEvent,
    columns: eventColumns,
    read: async (part: Part<EventPosition>) => {
      const { events, next } = await readEventPage(context, criteria, part);
      return { rows: events, next };
    },
  });
}

const noSums = { count: null, history: null, counted_since: null };

/** Reads one event more than the page has, to detect a next page. */
async function readEventPage(
  { answerDb, db }: Context,
  criteria: EventCriteria,
  { limit, after }: { readonly limit: number; readonly after?: EventPosition | null | undefined },
): Promise<{ events: StoredEvent[]; next: EventPosition | null }> {
  const until = after && after.occurred < criteria.occurred.until ? after.occurred : criteria.occurred.until;
  const asked = { ...criteria, occurred: { ...criteria.occurred, until } };
  const window = await withinWindow(db, asked);
  const found = await listEvents(answerDb, window.criteria, limit + 1, after);
  const events = found.slice(0, limit);
  const last = found.length > limit ? events.at(-1) : undefined;
  if (last) return { events, next: { occurred: last.occurred, id: last.id } };
  return { events, next: window.end ? { occurred: window.end, id: FIRST_ID } : null };
}

async function readEventSums({ db, now }: Context, criteria: EventCriteria, interval: number) {
  const buckets = timeBuckets({ ...criteria.occurred, unit: 'second', interval, now });
  const window = await withinWindow(db, criteria);
  const [count, counts] = await Promise.all([
    countEvents(db, window.criteria),
    countByTime(db, window.criteria, buckets),
  ]);
  return { count, history: filledBuckets(buckets, counts), counted_since: window.end ?? null };
}

/** The values of a field, counted under the conditions on the other fields. */
export function readEventsValues(context: Context, body: EventValuesBody): Promise<FieldValues> {
  const { field, text, limit, ...filter } = body;
  const { where, ...criteria } = narrowed(context, filter);
  const others = where.filter((condition) => condition.field !== field);
  return readEventValues(context.db, { ...criteria, where: others }, { field, text, limit });
}

function narrowed({ now }: Context, { since, until, q, where }: EventsViewFilter) {
  checkValues(where, eventFields, 'body');
  const occurred = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const criteria = criteriaOf({ occurred, order: 'DESC', ...(q ? { text: { query: q } } : {}) }, now);
  return { ...criteria, where };
}
