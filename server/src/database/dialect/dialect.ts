/**
 * The SQL that differs between the two databases. A query asks for a fragment, never for the database.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Timestamp } from '../../values/time.ts';
import type { Tables } from '../tables/tables.ts';

export type Condition = RawBuilder<boolean>;
export type Expression = RawBuilder<unknown>;
export type Builder = Kysely<Tables>;

export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** The name of the database as people write it. */
  readonly title: string;
  /** Builds and compiles queries; it runs none. */
  readonly builder: Builder;
  /**
   * The same for conditions that are asked once for each row of another table: a long list is not looked up in an index
   * value by value there.
   */
  readonly nested: SqlDialect;
  /** `column` is one of `values`: one bound parameter, so a long list cannot pass the parameter limit. */
  oneOf(column: Expression, values: readonly string[], type: 'uuid' | 'text'): Condition;
  /** `column` equals a value that `select` finds. Uses the index of the column, regardless of the planner's statistics. */
  isAmong(column: Expression, select: Expression): Condition;
  /** The JSON array of texts in `column` holds all of `values`. */
  holdsAll(column: Expression, values: readonly string[]): Condition;
  /** The JSON array of texts in `column` holds at least one of `values`. */
  holdsAny(column: Expression, values: readonly string[]): Condition;
  /** Case-insensitive substring; `%` and `_` of the text keep their meaning as wildcards, as in the reference. */
  contains(column: Expression, text: string): Condition;
  /** Case-insensitive prefix, with the same wildcards. */
  startsWith(column: Expression, text: string): Condition;
  /** `startsWith` with one of `prefixes`. */
  startsWithOneOf(column: Expression, prefixes: readonly string[]): Condition;
  /** Like `contains`, with `%` and `_` taken literally. */
  containsLiterally(column: Expression, text: string): Condition;
  /** Prefix, letter by letter. */
  startsWithLiterally(column: Expression, prefix: string): Condition;
  /** Two texts are one of `pairs`. */
  arePairOf(left: Expression, right: Expression, pairs: readonly (readonly [string, string])[]): Condition;
  /** The same value in a form that no index serves, so that an index in its order is not walked for a few rows. */
  unindexed(expression: Expression): RawBuilder<unknown>;
  /** The text at `key` of the JSON object in `column`, null when absent. */
  jsonText(column: Expression, key: string): RawBuilder<string | null>;
  /** The text of the label `key` in `column`, a JSON object of texts; any key will do. Null when absent. */
  labelOf(column: Expression, key: string): RawBuilder<string | null>;
  /** The elements of the JSON array in `column`, as rows with a column `value`. */
  elementsOf(column: Expression): Expression;
  /** Lower-case as far as A to Z go, on every database. */
  foldCase(text: Expression): RawBuilder<string | null>;
  /** Ascending puts nulls first, descending puts them last (SQLite's default). */
  orderBy(expression: Expression, direction: 'asc' | 'desc'): RawBuilder<unknown>;
  /** Rows of one parameter, a JSON array of objects: the set `insert … select` reads for many rows in one statement. */
  rowsFrom(
    json: unknown,
    columns: Readonly<Record<string, 'uuid' | 'text' | 'timestamp' | 'integer' | 'float'>>,
  ): Expression;
  /** One parameter, a JSON array of texts, as rows with a column `value`. */
  textsFrom(json: unknown): Expression;
  /**
   * For each row of `each`, the groups of the rows that `inner` finds for it: `columns` of the row, and `groups`, the text
   * of a JSON array with `[name, ...aggregates]` for each group, in the order of names. Undefined where grouping costs
   * little beside reading, so that nothing is gained by many small selects.
   */
  readonly groupsOfEach:
    | ((each: Expression, columns: Expression, inner: GroupedRows) => RawBuilder<unknown>)
    | undefined;
  /** At the end of a select: keeps the rows from other writers until the transaction ends. Nothing with one writer. */
  readonly forUpdate: Expression;
  /** Like `forUpdate`, without the rows that another transaction keeps. */
  readonly forUpdateSkipLocked: Expression;
  /** A join that is carried out in the written order: the left side drives. */
  readonly joinInOrder: Expression;
  /** A bound value in the select list of an `insert … select`, for a database that cannot infer its type. */
  typed(value: unknown, kind: 'uuid' | 'text' | 'timestamp' | 'integer'): Expression;
  /** Seconds from `from` to `to`, two timestamp expressions; null when either is. */
  secondsBetween(from: Expression, to: Expression): RawBuilder<number | null>;
  /** `time`, moved by as many whole seconds as `to` is after `from`; null when one of them is. */
  shifted(time: Expression, from: Expression, to: Expression): RawBuilder<Timestamp | null>;
  /** The index (from 0) of the interval that `time` falls into; it must not be before the first. */
  intervalOf(time: Expression, intervals: EqualIntervals): RawBuilder<number>;
}

/** Rows, from `from` on in SQL, that are grouped by `name`. */
interface GroupedRows {
  readonly from: Expression;
  readonly name: Expression;
  readonly aggregates: readonly Expression[];
}

/** Intervals of one length, one after the other. */
export interface EqualIntervals {
  readonly starts: readonly Timestamp[];
  readonly lengthMicroseconds: number;
}

/** The condition that every row meets. */
export const always: Condition = sql<boolean>`1 = 1`;
/** The condition that no row meets. */
export const never: Condition = sql<boolean>`1 = 0`;

export function and(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return always;
  if (conditions.length === 1) return conditions[0]!;
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

export function or(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return always;
  if (conditions.length === 1) return conditions[0]!;
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

export function not(condition: Condition): Condition {
  return sql<boolean>`not (${condition})`;
}
