/** Applies the conditions of `filter-condition.ts` to an event in memory. filter.test.ts compares the two. */

import type { StoredEvent } from '../changes/hub.ts';
import { matchesTextQuery, parseTextQuery, type TextQuery } from '../database/lists/text-search.ts';
import { matchesWithin, type WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { isTooLongToMatch } from '../fairness/foreign-work/glob.ts';
import { type JsonText, parseJson } from '../values/json.ts';
import { type EventCriteria, patternsOf } from './criteria.ts';
import { foldedText, LabelTest } from './label-pattern.ts';
import type { Resource } from './received-event.ts';
import type { EventAnyResourceFilter, EventNameFilter, EventRelatedFilter, ResourceSpecification } from './schema.ts';

type Texts = readonly string[] | null | undefined;

/** A published event. Its labels are parsed once, when a subscriber needs them. */
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

/** A filter whose label patterns are compiled. */
type Compiled<Filter> = Omit<Filter, 'labels'> & { readonly labels: LabelsTest | undefined };
type LabelsTest = (resource: Resource, work: WorkAllowance) => boolean;

/** A compiled filter for many events. An event that takes more than a part of the given allowance does not match. */
export function compileLiveFilter(criteria: EventCriteria): (event: LiveEvent, whole: WorkAllowance) => boolean {
  const query: TextQuery | undefined = criteria.text ? parseTextQuery(criteria.text.query) : undefined;
  const ids = criteria.id?.id && criteria.id.id.length > 0 ? new Set(criteria.id.id) : undefined;
  const { since, until } = criteria.occurred;
  const primary = criteria.resource && compiled(criteria.resource);
  const related = criteria.related.map(compiled);
  const any = criteria.any_resource.map(compiled);
  return (event, whole) => {
    const { row } = event;
    if (row.occurred < since || row.occurred > until) return false;
    if (ids && !ids.has(row.id)) return false;
    if (criteria.event && !matchesName(criteria.event, row.event)) return false;
    return matchesWithin(() => {
      const work = whole.part();
      if (primary && !matchesResource(primary, event.resource, work)) return false;
      if (!related.every((filter) => matchesRelated(filter, event.related, work))) return false;
      if (!any.every((filter) => matchesAny(filter, event, work))) return false;
      return !query || matchesTextQuery(query, searchedTextOf(row), work);
    });
  };
}

function compiled<Filter extends { readonly labels?: ResourceSpecification | null | undefined }>(
  filter: Filter,
): Compiled<Filter> {
  return { ...filter, labels: filter.labels ? compileLabels(filter.labels) : undefined };
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

function matchesResource(
  { id, id_prefix, labels }: Compiled<EventAnyResourceFilter>,
  resource: Resource,
  work: WorkAllowance,
): boolean {
  const resourceId = resource['prefect.resource.id'] ?? '';
  return isOneOf(id, resourceId) && startsWithOne(id_prefix, resourceId) && (!labels || labels(resource, work));
}

function matchesRelated(
  { id, role, resources_in_roles, labels }: Compiled<EventRelatedFilter>,
  related: readonly Resource[],
  work: WorkAllowance,
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
      (!labels || labels(resource, work))
    );
  });
}

function matchesAny(
  filter: Compiled<EventAnyResourceFilter>,
  { resource, related }: LiveEvent,
  work: WorkAllowance,
): boolean {
  return matchesResource(filter, resource, work) || related.some((one) => matchesResource(filter, one, work));
}

function compileLabels(labels: ResourceSpecification): LabelsTest {
  const tests = Object.entries(labels).map(
    ([label, patterns]) => [label, patternsOf(patterns).map((pattern) => new LabelTest(pattern))] as const,
  );
  return (resource, work) =>
    tests.every(([label, patterns]) => {
      work.spend(1);
      const value = Object.hasOwn(resource, label) ? resource[label] : undefined;
      if (value === undefined || isTooLongToMatch(value)) return false;
      const text = foldedText(value, work);
      return patterns.some((pattern) => pattern.matches(text));
    });
}

function isEmpty(values: Texts): boolean {
  return !values || values.length === 0;
}

/** An empty list adds no condition. */
function isOneOf(values: Texts, text: string): boolean {
  return isEmpty(values) || values!.includes(text);
}

function startsWithOne(prefixes: Texts, text: string): boolean {
  return isEmpty(prefixes) || prefixes!.some((prefix) => text.startsWith(prefix));
}
