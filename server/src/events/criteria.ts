/** A filter of events with its defaults filled in, for the database and the live streams. */
import type { Where } from '../database/lists/where.ts';
import { Unprocessable } from '../errors.ts';
import { addSeconds, type Timestamp } from '../values/time.ts';
import type { EventAnyResourceFilter, EventFilter, EventRelatedFilter, ResourceSpecification } from './schema.ts';

const DEFAULT_DAYS = 180;
const SECONDS_PER_DAY = 86_400;
/**
 * Most criteria of a filter. They become one condition, and databases limit its nesting: 1000 levels in the strictest.
 */
const MAX_CRITERIA = 400;

export interface EventCriteria extends Omit<EventFilter, 'occurred' | 'related' | 'any_resource'> {
  /** Conditions of the dashboard, which have been checked against `eventFields`. */
  readonly where?: Where;
  /** Both ends are inclusive. */
  readonly occurred: { readonly since: Timestamp; readonly until: Timestamp };
  /** One related resource must match each of them. */
  readonly related: readonly EventRelatedFilter[];
  /** One resource, the primary one or a related one, must match each of them. */
  readonly any_resource: readonly EventAnyResourceFilter[];
}

/**
 * Compiles a filter. Without times it covers the last 180 days, counted from the beginning of today, until `now`.
 * Throws Unprocessable when the filter has more conditions than a query can hold.
 */
export function criteriaOf(filter: EventFilter | null | undefined, now: Timestamp): EventCriteria {
  const { occurred, resource, related, any_resource, ...others } = filter ?? { order: 'DESC' };
  const criteria = {
    ...others,
    occurred: { since: occurred?.since ?? startOfDefault(now), until: occurred?.until ?? now },
    resource: resource && withoutEmptyLabels(resource),
    related: listOf(related).map(withoutEmptyLabels),
    any_resource: listOf(any_resource).map(withoutEmptyLabels),
  };
  if (countOf(criteria) > MAX_CRITERIA) {
    throw new Unprocessable(`The filter has more than ${MAX_CRITERIA} patterns and resources.`);
  }
  return criteria;
}

/** Converts criteria back to the filter of the wire. */
export function filterOf({ related, any_resource, ...others }: EventCriteria): EventFilter {
  return { ...others, related: [...related], any_resource: [...any_resource] };
}

/** The patterns of a label; one of them must match. */
export function patternsOf(patterns: string | readonly string[]): readonly string[] {
  return typeof patterns === 'string' ? [patterns] : patterns;
}

function startOfDefault(now: Timestamp): Timestamp {
  return addSeconds(`${now.slice(0, 10)}T00:00:00.000000Z` as Timestamp, -DEFAULT_DAYS * SECONDS_PER_DAY);
}

function listOf<T extends object>(value: T | readonly T[] | null | undefined): readonly T[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** A specification without labels adds no condition, not even that a resource exists. */
function withoutEmptyLabels<T extends { labels?: ResourceSpecification | null | undefined }>(shape: T): T {
  return shape.labels && Object.keys(shape.labels).length === 0 ? { ...shape, labels: null } : shape;
}

function countOf({ resource, related, any_resource }: EventCriteria): number {
  const shapes = [...(resource ? [resource] : []), ...related, ...any_resource];
  return shapes.reduce((sum, { labels }) => sum + 1 + patternCount(labels), 0);
}

function patternCount(labels: ResourceSpecification | null | undefined): number {
  return Object.values(labels ?? {}).reduce((sum, patterns) => sum + 1 + patternsOf(patterns).length, 0);
}
