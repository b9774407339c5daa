/**
 * Compiles criteria to the `from` and `where` of a query on `event`. Ids of related resources are looked up in
 * `event_resource` first, so that a few events are found by an index; labels, and roles without ids, are read from the
 * JSON of the remaining events.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression, never, not, or } from '../database/dialect/dialect.ts';
import { compileTextQuery, parseTextQuery } from '../database/lists/text-search.ts';
import type { Where } from '../database/lists/where.ts';
import type { Db } from '../database/store.ts';
import { type EventCriteria, patternsOf } from './criteria.ts';
import { type EventField, eventFields } from './fields.ts';
import { patternsCondition } from './label-pattern.ts';
import type { EventAnyResourceFilter, EventNameFilter, EventRelatedFilter, ResourceSpecification } from './schema.ts';

type Texts = readonly string[] | null | undefined;

const ROLE = 'prefect.resource.role';
const ID = 'prefect.resource.id';

/** A compiled criterion. */
interface Part {
  /** A query for the distinct `id` and `occurred` of the events that may match, within the requested time. */
  readonly candidates?: Expression;
  /** The conditions that remain to be tested on each event. */
  readonly condition: Condition;
}

interface EventSelection {
  /** `from … where …`, in which `event` has all its columns. */
  readonly rows: Expression;
  /** Like `rows`, if only `event.id` and `event.occurred` are read; it may not need the table. */
  readonly ids: Expression;
  /** True if few rows are expected, so that sorting them is cheaper than reading them in order. */
  readonly isNarrow: boolean;
}

export function selectEvents(criteria: EventCriteria, db: Db): EventSelection {
  const parts = [
    ...criteria.related.map((related) => relatedPart(related, criteria, db)),
    ...criteria.any_resource.map((resource) => anyResourcePart(resource, criteria, db)),
    ...(criteria.where ?? []).map((condition) => wherePart(condition, criteria, db)),
  ];
  const found = parts.flatMap(({ candidates }) => (candidates ? [candidates] : []));
  const conditions = [ownCondition(criteria, db), ...parts.map(({ condition }) => condition)];
  if (found.length === 0) {
    const { since, until } = criteria.occurred;
    const inTime = sql<boolean>`event.occurred >= ${since} and event.occurred <= ${until}`;
    const rows = sql`from event where event."workspace" = ${db.workspace} and ${all(inTime, ...conditions)}`;
    return { rows, ids: rows, isNarrow: asksForFew(criteria) };
  }
  const condition = all(...conditions);
  const candidates = meetAll(found);
  const rows = sql`from (${candidates}) candidate ${db.dialect.joinInOrder} event
    on event."workspace" = ${db.workspace} and event.id = candidate.id
      and event.occurred = candidate.occurred where ${condition}`;
  return { rows, ids: condition === always ? sql`from (${candidates}) event` : rows, isNarrow: true };
}

/**
 * Intersects the queries. Set operations are planned one by one; for joins, the time of planning would grow with the
 * square of their number.
 */
function meetAll(found: readonly Expression[]): Expression {
  if (found.length === 1) return found[0]!;
  return sql.join(
    found.map((candidates) => sql`select one.id, one.occurred from (${candidates}) one`),
    sql` intersect `,
  );
}

/** True for lists and prefixes of indexed columns; a single value is found in order anyway. */
function asksForFew({ event, resource }: EventCriteria): boolean {
  const lists = [event?.name, resource?.id];
  const prefixes = [event?.prefix, resource?.id_prefix];
  return lists.some((list) => (list?.length ?? 0) > 1) || prefixes.some((list) => (list?.length ?? 0) > 0);
}

/** The criteria that only need the columns of the event itself. */
function ownCondition(criteria: EventCriteria, db: Db): Condition {
  const { id, event, resource, text } = criteria;
  return all(
    event ? nameCondition(event, db) : always,
    resource ? primaryCondition(resource, db) : always,
    id?.id && id.id.length > 0 ? db.dialect.oneOf(sql`event.id`, id.id, 'uuid') : always,
    text ? compileTextQuery(parseTextQuery(text.query), searchedText, db.dialect) : always,
  );
}

/** The text that a search covers; the same for live events. */
const searchedText = sql`(event.event || ' ' || event.resource || ' ' || event.related || ' ' || event.payload)`;

function nameCondition({ prefix, exclude_prefix, name, exclude_name }: EventNameFilter, db: Db): Condition {
  const column = sql`event.event`;
  return all(
    startsWithOne(column, prefix, db),
    isOneOf(column, name, db),
    isAsked(exclude_prefix) ? not(startsWithOne(column, exclude_prefix, db)) : always,
    isAsked(exclude_name) ? not(isOneOf(column, exclude_name, db)) : always,
  );
}

function primaryCondition(filter: EventAnyResourceFilter, db: Db): Condition {
  return all(idCondition(sql`event.resource_id`, filter, db), labelsCondition(sql`event.resource`, filter.labels, db));
}

function idCondition(column: Expression, { id, id_prefix }: EventAnyResourceFilter, db: Db): Condition {
  return all(isOneOf(column, id, db), startsWithOne(column, id_prefix, db));
}

function relatedPart(filter: EventRelatedFilter, criteria: EventCriteria, db: Db): Part {
  const { id, resources_in_roles, labels } = filter;
  const asked = roleCondition(sql`found.resource_id`, sql`found.role`, filter, db);
  const ids = id && id.length > 0 ? id : resources_in_roles?.map(([pairId]) => pairId);
  const isToldBy = hasElement(
    all(
      roleCondition(db.dialect.labelOf(element, ID), db.dialect.labelOf(element, ROLE), filter, db),
      labelsCondition(element, labels, db),
    ),
    db,
  );
  if (!ids || ids.length === 0) return { condition: labels || asked !== always ? isToldBy : always };
  const candidates = relatedEvents(all(isOneOf(sql`found.resource_id`, ids, db), asked), criteria, db);
  return { candidates, condition: labels ? isToldBy : always };
}

function roleCondition(
  resourceId: Expression,
  resourceRole: Expression,
  filter: EventRelatedFilter,
  db: Db,
): Condition {
  const { id, role, resources_in_roles } = filter;
  return all(
    isOneOf(resourceId, id, db),
    isOneOf(db.dialect.unindexed(resourceRole), role, db),
    resources_in_roles && resources_in_roles.length > 0
      ? db.dialect.arePairOf(resourceId, db.dialect.unindexed(resourceRole), resources_in_roles)
      : always,
  );
}

function anyResourcePart(filter: EventAnyResourceFilter, criteria: EventCriteria, db: Db): Part {
  const { labels } = filter;
  const byLabels = labels
    ? or([
        primaryCondition(filter, db),
        hasElement(
          all(idCondition(db.dialect.labelOf(element, ID), filter, db), labelsCondition(element, labels, db)),
          db,
        ),
      ])
    : always;
  const asked = idCondition(sql`found.resource_id`, filter, db);
  if (asked === always) return { condition: byLabels };
  const { since, until } = criteria.occurred;
  const candidates = sql`select found.id, found.occurred from event found where found."workspace" = ${db.workspace}
      and ${asked} and found.occurred >= ${since} and found.occurred <= ${until}
    union ${relatedEvents(asked, criteria, db)}`;
  return { candidates, condition: byLabels };
}

/** Related resources with exactly these ids are found by their index; all else is read from the event. */
function wherePart({ field, not: isNegated, values }: Where[number], criteria: EventCriteria, db: Db): Part {
  const isExact = values.every((value) => !value.endsWith('*'));
  if (field === 'related' && !isNegated && isExact) {
    return {
      candidates: relatedEvents(db.dialect.oneOf(sql`found.resource_id`, values, 'text'), criteria, db),
      condition: always,
    };
  }
  const condition = eventFields[field as EventField].hasOneOf(values, db.dialect);
  return { condition: isNegated ? not(condition) : condition };
}

/** Events by their related resources, found in the index of these resources. */
function relatedEvents(condition: Condition, { occurred: { since, until } }: EventCriteria, db: Db): Expression {
  return sql`select distinct found.event_id as id, found.occurred from event_resource found
    where found."workspace" = ${db.workspace} and ${condition} and found.occurred >= ${since} and found.occurred <= ${until}`;
}

const element = sql`element.value`;

/** True if one of the event's related resources satisfies `condition`. */
function hasElement(condition: Condition, db: Db): Condition {
  return sql`exists (select 1 from ${db.dialect.elementsOf(sql`event.related`)} element where ${condition})`;
}

/** Every label exists and matches one of its patterns; a label without patterns matches nothing. */
function labelsCondition(json: Expression, labels: ResourceSpecification | null | undefined, db: Db): Condition {
  const { dialect } = db;
  return all(
    ...Object.entries(labels ?? {}).map(([label, patterns]) => {
      const choices = patternsOf(patterns);
      if (choices.length === 0) return never;
      return patternsCondition(choices, dialect.labelOf(json, label), dialect);
    }),
  );
}

/** An empty list adds no condition. */
function isOneOf(column: Expression, values: Texts, db: Db): Condition {
  return values && values.length > 0 ? db.dialect.oneOf(column, values, 'text') : always;
}

/** Compares case-sensitively and without wildcards. An empty list adds no condition. */
function startsWithOne(column: Expression, prefixes: Texts, { dialect }: Db): Condition {
  if (!prefixes || prefixes.length === 0) return always;
  return or(prefixes.map((prefix) => dialect.startsWithLiterally(column, prefix)));
}

function isAsked(values: Texts): boolean {
  return values !== null && values !== undefined && values.length > 0;
}

function all(...conditions: Condition[]): Condition {
  return and(conditions.filter((condition) => condition !== always));
}
