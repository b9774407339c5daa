/**
 * Narrows a list by the conditions that people choose or type. Each list has a registry of its fields. A condition
 * becomes a filter where an index or stored sums answer that filter, and a condition on each row otherwise.
 */
import { sql } from 'kysely';
import type { Condition } from '../../../database/dialect/dialect.ts';
import type { NarrowingCondition } from '../../../database/lists/where-schema.ts';
import type { Db } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';

interface NarrowingScope {
  readonly db: Db;
  readonly now: Timestamp;
}

type Given<Result> = (values: readonly string[], scope: NarrowingScope) => Result | Promise<Result>;

export interface NarrowingField {
  /** Says what a value should be; undefined when it is right. Without it, any text is right. */
  readonly problemOf?: (value: string) => string | undefined;
  /** True for the rows that have one of the values. */
  readonly among: Given<Condition>;
  /** Filters that select the same rows; undefined for values without such filters. */
  readonly filters?: Given<RelatedFilters | undefined>;
  /** True when each row is compared with its parameters, which may be large. */
  readonly readsParameters?: boolean;
}

export type NarrowingFields = Readonly<Record<string, NarrowingField>>;

/** The filters, narrowed further. Throws ValidationFailed, which names each value that its field refuses. */
export async function narrow(
  scope: NarrowingScope,
  fields: NarrowingFields,
  filters: RelatedFilters,
  where: readonly NarrowingCondition[],
): Promise<RelatedFilters> {
  checkValues(fields, where);
  let narrowed = filters;
  const conditions: Condition[] = [];
  let comparisons = 0;
  for (const { field: name, not, values } of distinct(where)) {
    const field = fields[name]!;
    const joined = not ? undefined : joinedWith(narrowed, await field.filters?.(values, scope));
    if (joined) {
      narrowed = joined;
      continue;
    }
    conditions.push(unless(not, await field.among(values, scope)));
    comparisons += values.length;
  }
  if (conditions.length === 0) return narrowed;
  const readsParameters = where.some(({ field }) => fields[field]?.readsParameters === true);
  return { ...narrowed, narrowing: { conditions, comparisons, readsParameters } };
}

/** A condition that is asked twice costs as much as one. */
function distinct(where: readonly NarrowingCondition[]): NarrowingCondition[] {
  const each = where.map(({ values, ...one }) => ({ ...one, values: [...new Set(values)].sort() }));
  return [...new Map(each.map((one) => [JSON.stringify([one.field, one.not ?? false, one.values]), one])).values()];
}

/** A row whose column is null has none of the values. */
function unless(not: boolean, condition: Condition): Condition {
  return not ? sql<boolean>`(${condition}) is not true` : condition;
}

function checkValues(fields: NarrowingFields, where: readonly NarrowingCondition[]): void {
  const issues = where.flatMap(({ field, values }, index) => {
    const problem = values.map((value) => fields[field]?.problemOf?.(value)).find((found) => found !== undefined);
    if (problem === undefined) return [];
    return [
      { type: 'value_error', loc: ['body', 'where', index, 'values'], msg: `Each value of ${field} is ${problem}.` },
    ];
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** Undefined when the filters already have a criterion in the same place, or combine theirs by `or_`. */
function joinedWith(filters: RelatedFilters, more: RelatedFilters | undefined): RelatedFilters | undefined {
  if (!more) return undefined;
  const joined: Record<string, object | null | undefined> = { ...filters };
  for (const [resource, criteria] of Object.entries(more)) {
    const own = (joined[resource] ?? {}) as Record<string, unknown>;
    const isTaken = Object.keys(criteria).some((field) => own[field] !== undefined && own[field] !== null);
    const isOfRuns = resource === 'flow_runs' || resource === 'task_runs';
    if (isTaken || own['operator'] === 'or_' || (!isOfRuns && joined[resource])) return undefined;
    joined[resource] = { ...own, ...criteria };
  }
  return joined;
}
