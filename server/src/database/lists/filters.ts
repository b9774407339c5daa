/**
 * The operators of the API's filters, by kind of value, under their wire names. A resource lists its filterable fields;
 * `compileFilter` turns a validated filter into one condition.
 *
 * `any_: []` matches no row; `all_: []` and `not_any_: []` set no condition. Null counts as absent. Source: the Prefect
 * server 3.9.1; server/test/reference/generate/filters.ts sends every operator to both servers.
 */
import { sql } from 'kysely';
import type { Timestamp } from '../../values/time.ts';
import { always, and, type Condition, type Expression, not, or, type SqlDialect } from '../dialect/dialect.ts';

/** Turns the value of one operator into a condition; undefined adds no condition. */
type Operator<Value> = (column: Expression, value: Value, dialect: SqlDialect) => Condition | undefined;

const isNull: Operator<boolean> = (column, wanted) => (wanted ? sql`${column} is null` : sql`${column} is not null`);
const like: Operator<string> = (column, text, dialect) => (text === '' ? undefined : dialect.contains(column, text));

/**
 * A longer list of texts becomes a set in which each row is looked up: combined with a list of ids, an index of both
 * columns would be searched for each pair. A list of ids is always looked up in the index, because few rows have an id.
 */
const MOST_TEXTS_LOOKED_UP = 200;

function membership(type: 'uuid' | 'text') {
  return {
    any_: ((column, values, dialect) =>
      dialect.oneOf(
        type === 'text' && values.length > MOST_TEXTS_LOOKED_UP ? dialect.unindexed(column) : column,
        values,
        type,
      )) satisfies Operator<string[]>,
    // `not in` is not true for null, so rows without a value are left out too.
    not_any_: ((column, values, dialect) =>
      values.length > 0 ? not(dialect.oneOf(column, values, type)) : undefined) satisfies Operator<string[]>,
  };
}

const operators = {
  id: { ...membership('uuid'), is_null_: isNull },
  text: {
    ...membership('text'),
    like_: like,
    is_null_: isNull,
    startswith_: ((column, prefixes, dialect) =>
      prefixes.length > 0 ? dialect.startsWithOneOf(column, prefixes) : undefined) satisfies Operator<string[]>,
  },
  boolean: { eq_: ((column, wanted, dialect) => equals(column, wanted, dialect)) satisfies Operator<boolean> },
  number: {
    ge_: ((column, bound) => sql`${column} >= ${bound}`) satisfies Operator<number>,
    le_: ((column, bound) => sql`${column} <= ${bound}`) satisfies Operator<number>,
  },
  time: {
    before_: ((column, bound) => sql`${column} <= ${bound}`) satisfies Operator<Timestamp>,
    after_: ((column, bound) => sql`${column} >= ${bound}`) satisfies Operator<Timestamp>,
    is_null_: isNull,
  },
  /** A JSON array of texts in the row. */
  tags: {
    all_: ((column, tags, dialect) =>
      tags.length > 0 ? dialect.holdsAll(column, tags) : undefined) satisfies Operator<string[]>,
    any_: ((column, tags, dialect) => dialect.holdsAny(column, tags)) satisfies Operator<string[]>,
    is_null_: ((column, wanted) =>
      wanted ? sql`${column} = '[]'` : sql`${column} <> '[]'`) satisfies Operator<boolean>,
  },
} as const;

function equals(column: Expression, wanted: boolean, dialect: SqlDialect): Condition {
  // SQLite cannot bind booleans.
  return dialect.name === 'sqlite' ? sql`${column} = ${wanted ? 1 : 0}` : sql`${column} = ${wanted}`;
}

/** The expressions of a field; `fields` may name other columns for single operators. */
interface FilterField {
  readonly kind: keyof typeof operators;
  readonly column: Expression;
}

/**
 * Compiles a field whose criteria are not the usual operators on one column. Undefined means the same as an absent
 * field.
 */
export type FieldCompiler = (criteria: Criteria, dialect: SqlDialect) => Condition | undefined;

export type FilterFields = Readonly<Record<string, FilterField | FieldCompiler>>;
type Criteria = Readonly<Record<string, unknown>>;
/** A validated filter object: criteria by field, and how they combine. */
export type Filter = object;

/**
 * One condition for `filter`; a filter without conditions is true. Its `operator` combines its own fields only. Every
 * row satisfies a field without conditions (`name: {}`), so with `or_` every row matches.
 */
export function compileFilter(filter: Filter | null | undefined, fields: FilterFields, dialect: SqlDialect): Condition {
  if (!filter) return always;
  const given = filter as Criteria;
  const conditions = Object.entries(fields).flatMap(([name, field]) => {
    const criteria = given[name] as Criteria | null | undefined;
    if (criteria === null || criteria === undefined) return [];
    const condition = typeof field === 'function' ? field(criteria, dialect) : compileField(criteria, field, dialect);
    return condition ? [condition] : [];
  });
  if (given['operator'] === 'or_' && conditions.includes(always)) return always;
  return combine(conditions, given['operator']);
}

/** The criteria of one field, combined by the field's own `operator` if it has one. */
export function compileField(criteria: Criteria, field: FilterField, dialect: SqlDialect): Condition {
  const known = operators[field.kind] as Readonly<Record<string, Operator<never>>>;
  const conditions = Object.entries(known).flatMap(([name, operator]) => {
    const value = criteria[name];
    if (value === null || value === undefined) return [];
    const condition = operator(field.column, value as never, dialect);
    return condition ? [condition] : [];
  });
  return combine(conditions, criteria['operator']);
}

/** Combines conditions with either operator, and skips undefined ones. */
export function combine(conditions: readonly Condition[], operator: unknown): Condition {
  const asking = conditions.filter((condition) => condition !== always);
  return operator === 'or_' ? or(asking) : and(asking);
}
