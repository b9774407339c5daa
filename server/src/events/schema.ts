import {
  DateTime,
  Enum,
  JsonObject,
  Maybe,
  Nullable,
  Parts,
  RecordOf,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../schema/kinds.ts';
import { isLongerThan } from '../schema/text-length.ts';
import { MAX_SEARCHES, Prefixes, SearchedText, ValueList } from '../schema/value-list.ts';

const MAX_LABELS = 500;
export const MAX_RELATED_RESOURCES = 100;
const MAX_EVENT_NAME_LENGTH = 1024;

type Labels = Record<string, string>;

function resourceFault(labels: Labels): string | undefined {
  if (Object.keys(labels).length > MAX_LABELS) return `The maximum number of labels per resource is ${MAX_LABELS}`;
  return labelFault(labels, 'Resources', 'prefect.resource.id') ?? namesFault(labels);
}

function relatedResourceFault(labels: Labels): string | undefined {
  return resourceFault(labels) ?? labelFault(labels, 'Related Resources', 'prefect.resource.role');
}

/**
 * Checks the names of labels: the database looks them up and cannot read these names. Values are checked like all
 * texts.
 */
function namesFault(labels: Labels): string | undefined {
  const isReadable = Object.keys(labels).every((name) => !name.includes('\0') && name.isWellFormed());
  return isReadable ? undefined : 'Label names must not contain NUL characters or halves of surrogate pairs';
}

function labelFault(labels: Labels, what: string, name: string): string | undefined {
  if (labels[name] === undefined) return `${what} must include the ${name} label`;
  return labels[name] === '' ? `The ${name} label must be non-empty` : undefined;
}

/** The subject of an event: labels, among them `prefect.resource.id`. */
export const Resource = refine({ ...RecordOf(Type.String()), $id: 'Resource' }, resourceFault);
export type Resource = Static<typeof Resource>;

/** A resource with a role in the event, given by the label `prefect.resource.role`. */
export const RelatedResource = refine({ ...RecordOf(Type.String()), $id: 'RelatedResource' }, relatedResourceFault);
export type RelatedResource = Static<typeof RelatedResource>;

const EventName = refine(Type.String(), (name) =>
  isLongerThan(MAX_EVENT_NAME_LENGTH, name)
    ? `Event name must be at most ${MAX_EVENT_NAME_LENGTH} characters`
    : undefined,
);

const RelatedResources = refine(Type.Array(RelatedResource), (related) =>
  related.length > MAX_RELATED_RESOURCES
    ? `The maximum number of related resources is ${MAX_RELATED_RESOURCES}`
    : undefined,
);

const event = {
  occurred: DateTime(),
  event: EventName,
  resource: Resource,
  related: Type.Optional(RelatedResources),
  payload: Type.Optional(JsonObject()),
  id: Uuid(),
  follows: Maybe(Uuid()),
};

/** An event as clients send it. An event that is too large as a whole is dropped without an error. */
export const Event = Shape('Event', event, 'ignore');
export type Event = Static<typeof Event>;

export const ReceivedEvent = Shape('ReceivedEvent', { ...event, received: Type.Optional(DateTime()) }, 'ignore');
export type ReceivedEvent = Static<typeof ReceivedEvent>;

export const EventPage = Shape(
  'EventPage',
  {
    events: Type.Array(ReceivedEvent),
    total: Type.Integer(),
    /** Absolute address of the next page, null on the last one. */
    next_page: Nullable(Type.String({ format: 'uri', minLength: 1 })),
  },
  'ignore',
);
export type EventPage = Static<typeof EventPage>;

export const EventCount = Shape(
  'EventCount',
  {
    value: Type.String(),
    label: Type.String(),
    count: Type.Integer(),
    start_time: DateTime(),
    end_time: DateTime(),
  },
  'ignore',
);
export type EventCount = Static<typeof EventCount>;

/** Label patterns: one or several alternatives each, with `*`, `?` and a leading `!`. */
export const ResourceSpecification = {
  ...RecordOf(Type.Union([Type.String(), ValueList(Type.String())])),
  $id: 'ResourceSpecification',
};
export type ResourceSpecification = Static<typeof ResourceSpecification>;

const texts = Maybe(ValueList(SearchedText));
const prefixes = Maybe(Prefixes);
const labels = Maybe(ResourceSpecification);

/** Absent bounds mean the last 180 days, until now. */
export const EventOccurredFilter = Shape('EventOccurredFilter', {
  since: Type.Optional(DateTime()),
  until: Type.Optional(DateTime()),
});
export type EventOccurredFilter = Static<typeof EventOccurredFilter>;

export const EventNameFilter = Shape('EventNameFilter', {
  prefix: prefixes,
  exclude_prefix: prefixes,
  name: texts,
  exclude_name: texts,
});
export type EventNameFilter = Static<typeof EventNameFilter>;

/** Conditions on the primary resource. `distinct` keeps one event of each resource. */
export const EventResourceFilter = Shape('EventResourceFilter', {
  id: texts,
  id_prefix: prefixes,
  labels,
  distinct: withDefault(Type.Boolean(), false),
});
export type EventResourceFilter = Static<typeof EventResourceFilter>;

export const EventRelatedFilter = Shape('EventRelatedFilter', {
  id: texts,
  role: texts,
  /** Pairs of id and role. */
  resources_in_roles: Maybe(ValueList(Type.Tuple([SearchedText, SearchedText]))),
  labels,
});
export type EventRelatedFilter = Static<typeof EventRelatedFilter>;

/** Conditions on the primary and the related resources. */
export const EventAnyResourceFilter = Shape('EventAnyResourceFilter', { id: texts, id_prefix: prefixes, labels });
export type EventAnyResourceFilter = Static<typeof EventAnyResourceFilter>;

export const EventIDFilter = Shape('EventIDFilter', { id: Maybe(ValueList(Uuid())) });
export type EventIDFilter = Static<typeof EventIDFilter>;

export const EventTextFilter = Shape('EventTextFilter', { query: Type.String({ maxLength: 200 }) });
export type EventTextFilter = Static<typeof EventTextFilter>;

export const EventOrder = Enum('EventOrder', ['ASC', 'DESC']);
export type EventOrder = Static<typeof EventOrder>;

export const EventFilter = Shape('EventFilter', {
  occurred: Type.Optional(EventOccurredFilter),
  event: Maybe(EventNameFilter),
  resource: Maybe(EventResourceFilter),
  related: Maybe(Type.Union([EventRelatedFilter, Type.Array(EventRelatedFilter, { maxItems: MAX_SEARCHES })])),
  any_resource: Maybe(
    Type.Union([EventAnyResourceFilter, Type.Array(EventAnyResourceFilter, { maxItems: MAX_SEARCHES })]),
  ),
  id: Type.Optional(EventIDFilter),
  text: Maybe(EventTextFilter),
  order: withDefault(EventOrder, 'DESC'),
});
export type EventFilter = Static<typeof EventFilter>;

/** The property that the events of one count share. */
export const Countable = Enum('Countable', ['day', 'time', 'event', 'resource']);
export type Countable = Static<typeof Countable>;

export const TimeUnit = Enum('TimeUnit', ['week', 'day', 'hour', 'minute', 'second']);
export type TimeUnit = Static<typeof TimeUnit>;

/** Bodies of requests by the segment of their route. */
export const eventBodies = {
  create: Type.Array(Event),
  filter: Parts(
    { filter: Maybe(EventFilter), limit: withDefault(Type.Integer({ minimum: 0, maximum: 50 }), 50) },
    'Body_read_events_events_filter_post',
  ),
  count_by: Parts(
    {
      filter: EventFilter,
      time_unit: withDefault(TimeUnit, 'day'),
      time_interval: withDefault(Type.Number({ minimum: 0.01 }), 1),
    },
    'Body_count_account_events_events_count_by__countable__post',
  ),
};

export const nextPageQuery = Type.Object({ 'page-token': Type.String() });
