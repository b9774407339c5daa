/** The SQL that differs between the two databases. A query uses a fragment and never asks which database it is. */
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
  /** Builds and compiles queries without running them. */
  readonly builder: Builder;
  /**
   * Fragments for conditions that are evaluated for each row of another table: a long list is not looked up value by
   * value in an index there.
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
  /** `containsLiterally` with one of `texts`. */
  containsOneOf(column: Expression, texts: readonly string[]): Condition;
  /** `text` occurs in `within`, case-sensitive and without wildcards. */
  occurs(text: unknown, within: Expression): Condition;
  /** Prefix, case-sensitive and without wildcards. */
  startsWithLiterally(column: Expression, prefix: string): Condition;
  /** The two texts are one of `pairs`. */
  arePairOf(left: Expression, right: Expression, pairs: readonly (readonly [string, string])[]): Condition;
  /**
   * The value in a form that no index supports, so that the planner does not walk an index in that order for a few
   * rows.
   */
  unindexed(expression: Expression): RawBuilder<unknown>;
  /** The text at `key` of the JSON object in `column`, null when absent. */
  jsonText(column: Expression, key: string): RawBuilder<string | null>;
  /** The values of the JSON object in `column`, as rows with their `name` and their `value` as text. */
  valuesIn(column: Expression): Expression;
  /** The text of the label `key` in `column`, a JSON object of texts. `key` may be any text. Null when absent. */
  labelOf(column: Expression, key: string): RawBuilder<string | null>;
  /** The elements of the JSON array in `column`, as rows with a column `value`. */
  elementsOf(column: Expression): Expression;
  /** Lower-cases A to Z only, on every database. */
  foldCase(text: Expression): RawBuilder<string | null>;
  /** Ascending puts nulls first, descending puts them last (SQLite's default). */
  orderBy(expression: Expression, direction: 'asc' | 'desc'): RawBuilder<unknown>;
  /**
   * The rows in one parameter, a JSON array of objects, from which `insert … select` takes many rows in one statement.
   */
  rowsFrom(
    json: unknown,
    columns: Readonly<Record<string, 'uuid' | 'text' | 'timestamp' | 'integer' | 'float'>>,
  ): Expression;
  /** The texts in one parameter, a JSON array, as rows with a column `value`. */
  textsFrom(json: unknown): Expression;
  /**
   * For each row of `each`, the groups of the rows that `inner` finds for it: `columns` of the row, and `groups`, the
   * text of a JSON array with `[name, ...aggregates]` for each group, ordered by name. Undefined if grouping costs
   * little compared to reading, so that many small selects would not help.
   */
  readonly groupsOfEach:
    | ((each: Expression, columns: Expression, inner: GroupedRows) => RawBuilder<unknown>)
    | undefined;
  /**
   * True where a row costs less as the JSON of an answer than as columns (`database/lists/json-rows.ts`). On PostgreSQL a page
   * would take a quarter more time of the database.
   */
  readonly writesJson: boolean;
  /**
   * At the end of a select: locks the rows against other writers until the transaction ends. Empty on a database with
   * one writer.
   */
  readonly forUpdate: Expression;
  /** Like `forUpdate`, but skips rows that another transaction has locked. */
  readonly forUpdateSkipLocked: Expression;
  /** A join that runs in the written order, with the left side as the outer loop. */
  readonly joinInOrder: Expression;
  /** A bound value in the select list of an `insert … select`, for a database that cannot infer its type. */
  typed(value: unknown, kind: 'uuid' | 'text' | 'timestamp' | 'integer'): Expression;
  /** Keeps and finds the words of `log_block`. */
  readonly blockWords: BlockWords;
  /** Seconds from `from` to `to`, two timestamp expressions; null when either is null. */
  secondsBetween(from: Expression, to: Expression): RawBuilder<number | null>;
  /** `time` plus the whole seconds from `from` to `to`; null when one of them is null. */
  shifted(time: Expression, from: Expression, to: Expression): RawBuilder<Timestamp | null>;
  /** The index (from 0) of the interval that `time` falls into; it must not be before the first. */
  intervalOf(time: Expression, intervals: EqualIntervals): RawBuilder<number>;
}

/** Letters and digits only; a beginning also finds longer words. */
export interface IndexedWord {
  readonly text: string;
  readonly isBeginning: boolean;
}

interface BlockWords {
  /** The columns of the row that hold the words, with a comma before them, and their values. Empty for no column. */
  readonly columns: Expression;
  readonly values: (words: unknown) => Expression;
  /** Inserts the words of a row that has just been inserted; undefined if its columns hold them. */
  readonly insert: ((row: { readonly workspace: unknown; number: unknown; words: unknown }) => Expression) | undefined;
  /** True if rows are found in the order of their number, however many have the words. */
  readonly isOrdered: boolean;
  /** From `from` on: the rows that have all words. `number` is their number in the index. */
  readonly having: (words: readonly IndexedWord[]) => { readonly source: Expression; readonly number: Expression };
}

/** Rows, given by the SQL from `from` on, that are grouped by `name`. */
interface GroupedRows {
  readonly from: Expression;
  readonly name: Expression;
  readonly aggregates: readonly Expression[];
}

/** Consecutive intervals of equal length. */
export interface EqualIntervals {
  readonly starts: readonly Timestamp[];
  readonly lengthMicroseconds: number;
}

/** The condition that every row satisfies. */
export const always: Condition = sql<boolean>`1 = 1`;
/** The condition that no row satisfies. */
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
