/** The fields by which lists of flow runs and lists of task runs are narrowed alike. */
import { type RawBuilder, sql } from 'kysely';
import { always, and, type Condition, never, or } from '../../../database/dialect/dialect.ts';
import { type StateType, stateTypes } from '../../filters/field-schema.ts';
import { runTagsField, stateField } from '../../filters/run-filter-fields.ts';
import { type RunTable, runTimeOf } from '../../runs/rows/run-estimates.ts';
import { compare, comparisonProblem } from './comparison.ts';
import type { NarrowingField } from './narrow.ts';

/** A type of states in any case, `late`, or the name of a state. */
function stateCriteria(values: readonly string[]) {
  const types = values.map((value) => value.toUpperCase()).filter(isStateType);
  const names = values
    .filter((value) => !isStateType(value.toUpperCase()))
    .map((value) => (value.toLowerCase() === 'late' ? 'Late' : value));
  return {
    operator: 'or_',
    ...(types.length > 0 && { type: { any_: types } }),
    ...(names.length > 0 && { name: { any_: names } }),
  };
}

function isStateType(text: string): text is StateType {
  return (stateTypes as readonly string[]).includes(text);
}

export function runFieldsOf(table: RunTable) {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const filter = `${table}s` as const;
  return {
    state: {
      among: (values, { db }) => stateField(table)(stateCriteria(values), db.dialect) ?? always,
      filters: (values) => ({ [filter]: { state: stateCriteria(values) } }),
    },
    tag: {
      among: (values, { db }) => runTagsField(table)({ any_: values }, db.dialect) ?? always,
      filters: (values) => ({ [filter]: { tags: values.length === 1 ? { all_: values } : { any_: values } } }),
    },
    tries: {
      problemOf: comparisonProblem,
      among: (values) => or(values.map((value) => compare(column('run_count'), value))),
    },
    duration: {
      problemOf: comparisonProblem,
      among: (values, { db, now }) => or(values.map((value) => compare(runTimeOf(table, now, db.dialect), value))),
    },
    name: {
      among: (values, { db }) => or(values.map((value) => db.dialect.containsLiterally(column('name'), value))),
    },
  } satisfies Record<string, NarrowingField>;
}

/** Rows of which a fact is true, or of which it is not: `yes` and `no`. */
export function yesOrNo(fact: Condition): NarrowingField {
  const isOf = (value: string) => (value.toLowerCase() === 'yes' ? fact : sql<boolean>`(${fact}) is not true`);
  return {
    problemOf: (value) => (/^(yes|no)$/i.test(value) ? undefined : '`yes` or `no`'),
    among: (values) => or(values.map(isOf)),
  };
}

/** `…` stands for the parts in which failures of one cause differ. Their order does not count. */
export function mentionsCause(message: RawBuilder<unknown>, cause: string, contains: Contains): Condition {
  const parts = partsOfCause(cause);
  return parts.length === 0 ? never : and(parts.map((part) => contains(message, part)));
}

type Contains = (column: RawBuilder<unknown>, text: string) => Condition;

/** More parts do not make a cause clearer. */
const MOST_PARTS = 10;
const EXCEPTION = /^([A-Za-z_]\w*): /;

/** The type of an exception is followed by its message in several ways. */
function partsOfCause(cause: string): string[] {
  const [, type] = EXCEPTION.exec(cause) ?? [];
  const rest = type === undefined ? cause : cause.slice(type.length + 2);
  const parts = [type ?? '', ...rest.split('…')].map((part) => part.trim()).filter((part) => part !== '');
  return parts.slice(0, MOST_PARTS);
}
