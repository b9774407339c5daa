import { valuesParts, whereOf } from '../../../database/lists/where-schema.ts';
import { eventFieldNames } from '../../../events/fields.ts';
import { EventCount, ReceivedEvent } from '../../../events/schema.ts';
import {
  DateTime,
  described,
  Maybe,
  Nullable,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';

/** The position between a page of events and the next. */
const EventPagePosition = Shape('EventPagePosition', { occurred: DateTime(), id: Uuid() }, 'ignore');

const MAX_PAGE = 200;

const filter = {
  where: described(
    whereOf('EventCondition', eventFieldNames),
    'Conditions on `event`, `resource`, `related` (ids; one that ends with `*` is the beginning of ids) and `task_runs` (`yes` or `no`).',
  ),
  since: described(Maybe(DateTime()), 'Events from this time on. Default: the last 180 days.'),
  until: described(Maybe(DateTime()), 'Events until this time. Default: now.'),
  q: described(Maybe(Type.String({ maxLength: 200 })), 'Words that the event contains.'),
};
const EventsViewFilter = Type.Object(filter);
export type EventsViewFilter = Static<typeof EventsViewFilter>;

export const EventsViewBody = Parts(
  {
    ...filter,
    limit: withDefault(Type.Integer({ minimum: 1, maximum: MAX_PAGE }), 50),
    after: described(Maybe(EventPagePosition), 'The `next` of the previous page.'),
    interval_seconds: described(
      Maybe(Type.Integer({ minimum: 1 })),
      'Adds the count and the history of the matching events, in intervals of this length, at most 1,000.',
    ),
  },
  'Body_read_events_view_views_events_post',
);
export type EventsViewBody = Static<typeof EventsViewBody>;

export const EventsExportBody = Parts({ ...filter }, 'Body_export_events_views_events_export_post');

/** The names of the fields of an event, in the order of a file. */
export const eventColumns = ['id', 'occurred', 'received', 'event', 'resource', 'related', 'payload', 'follows'];

export const EventValuesBody = Parts(
  { ...filter, ...valuesParts(eventFieldNames) },
  'Body_read_event_values_views_events_values_post',
);
export type EventValuesBody = Static<typeof EventValuesBody>;

export const EventsView = Shape(
  'EventsView',
  {
    as_of: DateTime(),
    events: Type.Array(ReceivedEvent),
    next: described(
      Nullable(EventPagePosition),
      'Null at the end. A short or empty page may still have a next one, because a request examines a bounded number of events.',
    ),
    count: described(Nullable(Type.Integer()), 'All matching events; null unless `interval_seconds` was given.'),
    history: described(
      Nullable(Type.Array(EventCount)),
      'Matching events by time, including empty intervals; null unless `interval_seconds` was given.',
    ),
    counted_since: described(
      Nullable(DateTime()),
      'Set if there are too many events to count: only events from this time on are counted.',
    ),
  },
  'ignore',
);
