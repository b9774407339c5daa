/**
 * Compiles criteria to one condition on `event`. Ids and roles of related resources are looked up in `event_resource`,
 * so that they narrow the search by an index; labels are read from the JSON of what is left.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression, never, not, or } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { compileTextQuery, parseTextQuery } from '../database/text-search.ts';
import { type EventCriteria, patternsOf } from './criteria.ts';
import { patternCondition } from './label-pattern.ts';
import type {
  EventAnyResourceFilter,
  EventNameFilter,
  EventRelatedFilter,
  EventResourceFilter,
  ResourceSpecification,
} from './schema.ts';

type Texts = readonly string[] | null | undefined;

const ROLE = 'prefect.resource.role';
const ID = 'prefect.resource.id';

export function eventCondition(criteria: EventCriteria, db: Db): Condition {
  const { since, until } = criteria.occurred;
  const { dialect } = db;
  const ids = criteria.id?.id;
  return all(
    sql<boolean>`event.occurred >= ${since} and event.occurred <= ${until}`,
    criteria.event ? nameCondition(criteria.event, db) : always,
    criteria.resource ? primaryCondition(criteria.resource, db) : always,
    ...criteria.related.map((related) => relatedCondition(related, criteria, db)),
    ...criteria.any_resource.map((resource) => anyResourceCondition(resource, criteria, db)),
    ids && ids.length > 0 ? dialect.oneOf(sql`event.id`, ids, 'uuid') : always,
    criteria.text ? compileTextQuery(parseTextQuery(criteria.text.query), searchedText, dialect) : always,
  );
}

/** What a text search looks through; `searchedTextOf` of live events is the same. */
const searchedText = sql`(event.event || ' ' || event.resource || ' ' || event.related || ' ' || event.payload)`;

function nameCondition({ prefix, exclude_prefix, name, exclude_name }: EventNameFilter, db: Db): Condition {
  const column = sql`event.event`;
  return all(
    startsWithOne(column, prefix, db),
    isOneOf(column, name, db),
    negated(startsWithOne(column, exclude_prefix, db)),
    negated(isOneOf(column, exclude_name, db)),
  );
}

function primaryCondition({ id, id_prefix, labels }: EventResourceFilter | EventAnyResourceFilter, db: Db): Condition {
  const column = sql`event.resource_id`;
  return all(
    isOneOf(column, id, db),
    startsWithOne(column, id_prefix, db),
    labelsCondition(sql`event.resource`, labels, db),
  );
}

function relatedCondition(
  { id, role, resources_in_roles, labels }: EventRelatedFilter,
  criteria: EventCriteria,
  db: Db,
) {
  const { dialect } = db;
  const meets = (resourceId: Expression, resourceRole: Expression) =>
    all(
      isOneOf(resourceId, id, db),
      isOneOf(resourceRole, role, db),
      resources_in_roles && resources_in_roles.length > 0
        ? sql<boolean>`exists (select 1 from ${dialect.rowsFrom(pairs(resources_in_roles), { id: 'text', role: 'text' })} pair
            where pair.id = ${resourceId} and pair.role = ${resourceRole})`
        : always,
    );
  const indexed = meets(sql`found.resource_id`, sql`found.role`);
  const wantedIds = id && id.length > 0 ? id : resources_in_roles?.map(([pairId]) => pairId);
  return all(
    narrowed(indexed, wantedIds, criteria, db),
    labels
      ? hasElement(
          all(
            meets(dialect.labelOf(element, ID), dialect.labelOf(element, ROLE)),
            labelsCondition(element, labels, db),
          ),
          db,
        )
      : always,
  );
}

/** What the table of related resources can tell; from its index where ids are asked for. */
function narrowed(indexed: Condition, ids: Texts, criteria: EventCriteria, db: Db): Condition {
  if (indexed === always) return always;
  if (!ids || ids.length === 0) return hasResource(indexed);
  return inResources(all(isOneOf(sql`found.resource_id`, ids, db), indexed), criteria, db);
}

function pairs(resourcesInRoles: readonly (readonly [string, string])[]): string {
  return JSON.stringify(resourcesInRoles.map(([id, role]) => ({ id, role })));
}

function anyResourceCondition(filter: EventAnyResourceFilter, criteria: EventCriteria, db: Db): Condition {
  const { id, id_prefix, labels } = filter;
  const { since, until } = criteria.occurred;
  const onPrimary = primaryCondition(filter, db);
  if (onPrimary === always) return always;
  const prefixOfRelated = (column: Expression) => startsWithOne(column, id_prefix, db);
  const indexed = all(isOneOf(sql`found.resource_id`, id, db), prefixOfRelated(sql`found.resource_id`));
  const byLabels = labels
    ? or([
        onPrimary,
        hasElement(
          all(
            isOneOf(db.dialect.labelOf(element, ID), id, db),
            prefixOfRelated(db.dialect.labelOf(element, ID)),
            labelsCondition(element, labels, db),
          ),
          db,
        ),
      ])
    : always;
  if (!id || id.length === 0) return indexed === always || labels ? byLabels : or([onPrimary, hasResource(indexed)]);
  const byId = sql<boolean>`event.id in (
    select about.id from event about where about."workspace" = ${db.workspace}
      and ${isOneOf(sql`about.resource_id`, id, db)} and about.occurred >= ${since} and about.occurred <= ${until}
    union all ${resourceIds(isOneOf(sql`found.resource_id`, id, db), criteria, db)})`;
  if (labels) return all(byId, byLabels);
  return id_prefix && id_prefix.length > 0 ? all(byId, or([onPrimary, hasResource(indexed)])) : byId;
}

/** Events by their related resources, from the index of those: for criteria that few events meet. */
function inResources(condition: Condition, criteria: EventCriteria, db: Db): Condition {
  return sql`event.id in (${resourceIds(condition, criteria, db)})`;
}

function resourceIds(condition: Condition, { occurred: { since, until } }: EventCriteria, db: Db): Expression {
  return sql`select found.event_id from event_resource found where found."workspace" = ${db.workspace}
    and ${condition} and found.occurred >= ${since} and found.occurred <= ${until}`;
}

/** Asks event by event: for criteria that many events meet. */
function hasResource(condition: Condition): Condition {
  return sql`exists (select 1 from event_resource found where found."workspace" = event."workspace"
    and found.event_id = event.id and ${condition})`;
}

const element = sql`element.value`;

/** One element of the event's related resources meets `condition`. */
function hasElement(condition: Condition, db: Db): Condition {
  return sql`exists (select 1 from ${db.dialect.elementsOf(sql`event.related`)} element where ${condition})`;
}

/** Every label is there and matches one of its patterns; a label without patterns matches nothing. */
function labelsCondition(json: Expression, labels: ResourceSpecification | null | undefined, db: Db): Condition {
  const { dialect } = db;
  return all(
    ...Object.entries(labels ?? {}).map(([label, patterns]) => {
      const choices = patternsOf(patterns);
      if (choices.length === 0) return never;
      return or(choices.map((pattern) => patternCondition(pattern, dialect.labelOf(json, label), dialect)));
    }),
  );
}

/** An empty list asks nothing. */
function isOneOf(column: Expression, values: Texts, db: Db): Condition {
  return values && values.length > 0 ? db.dialect.oneOf(column, values, 'text') : always;
}

/** Letter by letter, without wildcards. */
function startsWithOne(column: Expression, prefixes: Texts, { dialect }: Db): Condition {
  if (!prefixes || prefixes.length === 0) return always;
  const [only, ...others] = prefixes;
  if (only !== undefined && others.length === 0) return sql`substr(${column}, 1, ${lengthOf(only)}) = ${only}`;
  return sql`exists (select 1 from ${dialect.textsFrom(JSON.stringify(prefixes))} prefix
    where substr(${column}, 1, length(prefix.value)) = prefix.value)`;
}

/** In characters, as databases count. */
function lengthOf(text: string): number {
  return [...text].length;
}

function negated(condition: Condition): Condition {
  return condition === always ? always : not(condition);
}

function all(...conditions: Condition[]): Condition {
  return and(conditions.filter((condition) => condition !== always));
}
