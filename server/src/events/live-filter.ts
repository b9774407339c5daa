/** The conditions of `filter-condition.ts`, applied to an event in memory. filter.test.ts compares the two. */
import { matchesTextQuery, parseTextQuery, type TextQuery } from '../database/text-search.ts';
import { type JsonText, parseJson } from '../json.ts';
import { type EventCriteria, patternsOf } from './criteria.ts';
import type { StoredEvent } from './hub.ts';
import { matchesPattern } from './label-pattern.ts';
import type { Resource } from './received-event.ts';
import type { EventAnyResourceFilter, EventNameFilter, EventRelatedFilter, ResourceSpecification } from './schema.ts';

type Texts = readonly string[] | null | undefined;

/** A published event; its labels are read once, when a subscriber asks for them. */
export class LiveEvent {
  readonly row: StoredEvent;
  #resource: Resource | undefined;
  #related: readonly Resource[] | undefined;

  constructor(row: StoredEvent) {
    this.row = row;
  }

  get resource(): Resource {
    this.#resource ??= parseLabels<Resource>(this.row.resource);
    return this.#resource;
  }

  get related(): readonly Resource[] {
    this.#related ??= parseLabels<readonly Resource[]>(this.row.related);
    return this.#related;
  }
}

function parseLabels<T>(text: JsonText): T {
  return parseJson(text) as T;
}

/** A compiled filter for many events. */
export function compileLiveFilter(criteria: EventCriteria): (event: LiveEvent) => boolean {
  const query: TextQuery | undefined = criteria.text ? parseTextQuery(criteria.text.query) : undefined;
  const ids = criteria.id?.id && criteria.id.id.length > 0 ? new Set(criteria.id.id) : undefined;
  const { since, until } = criteria.occurred;
  return (event) => {
    const { row } = event;
    if (row.occurred < since || row.occurred > until) return false;
    if (ids && !ids.has(row.id)) return false;
    if (criteria.event && !matchesName(criteria.event, row.event)) return false;
    if (criteria.resource && !matchesResource(criteria.resource, event.resource)) return false;
    if (!criteria.related.every((filter) => matchesRelated(filter, event.related))) return false;
    if (!criteria.any_resource.every((filter) => matchesAny(filter, event))) return false;
    return !query || matchesTextQuery(query, searchedTextOf(row));
  };
}

function searchedTextOf({ event, resource, related, payload }: StoredEvent): string {
  return `${event} ${resource} ${related} ${payload}`;
}

function matchesName({ prefix, exclude_prefix, name, exclude_name }: EventNameFilter, event: string): boolean {
  return (
    startsWithOne(prefix, event) &&
    isOneOf(name, event) &&
    (isEmpty(exclude_prefix) || !startsWithOne(exclude_prefix, event)) &&
    (isEmpty(exclude_name) || !isOneOf(exclude_name, event))
  );
}

function matchesResource({ id, id_prefix, labels }: EventAnyResourceFilter, resource: Resource): boolean {
  const resourceId = resource['prefect.resource.id'] ?? '';
  return isOneOf(id, resourceId) && startsWithOne(id_prefix, resourceId) && matchesLabels(labels, resource);
}

function matchesRelated(
  { id, role, resources_in_roles, labels }: EventRelatedFilter,
  related: readonly Resource[],
): boolean {
  if (isEmpty(id) && isEmpty(role) && !resources_in_roles?.length && !labels) return true;
  return related.some((resource) => {
    const resourceId = resource['prefect.resource.id'] ?? '';
    const resourceRole = resource['prefect.resource.role'] ?? '';
    return (
      isOneOf(id, resourceId) &&
      isOneOf(role, resourceRole) &&
      (!resources_in_roles?.length ||
        resources_in_roles.some(([pairId, pairRole]) => pairId === resourceId && pairRole === resourceRole)) &&
      matchesLabels(labels, resource)
    );
  });
}

function matchesAny(filter: EventAnyResourceFilter, { resource, related }: LiveEvent): boolean {
  return matchesResource(filter, resource) || related.some((one) => matchesResource(filter, one));
}

function matchesLabels(labels: ResourceSpecification | null | undefined, resource: Resource): boolean {
  return Object.entries(labels ?? {}).every(([label, patterns]) => {
    const value = Object.hasOwn(resource, label) ? resource[label] : undefined;
    return value !== undefined && patternsOf(patterns).some((pattern) => matchesPattern(pattern, value));
  });
}

function isEmpty(values: Texts): boolean {
  return !values || values.length === 0;
}

/** An empty list sets no condition. */
function isOneOf(values: Texts, text: string): boolean {
  return isEmpty(values) || values!.includes(text);
}

function startsWithOne(prefixes: Texts, text: string): boolean {
  return isEmpty(prefixes) || prefixes!.some((prefix) => text.startsWith(prefix));
}
