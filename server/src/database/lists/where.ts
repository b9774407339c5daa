/**
 * Conditions with which a reader narrows a list. Each names a field and values, of which a row must have one, or none
 * with `not`; all conditions must hold. Each list has a table of its fields.
 */
import { type RawBuilder, sql } from 'kysely';
import { ValidationFailed, type ValidationIssue } from '../../errors.ts';
import { compileDecoder, type Location } from '../../schema/decode.ts';
import { described, Type } from '../../schema/kinds.ts';
import { isUuid, normalUuid } from '../../values/id.ts';
import { always, type Condition, type Expression, or, type SqlDialect } from '../dialect/dialect.ts';
import { type FieldValue, type NarrowingCondition, whereOf } from './where-schema.ts';

/** Characters of conditions in an address. */
const MAX_QUERY_LENGTH = 16_000;

/** The conditions in the query of a route: JSON text. */
export const whereQuery = described(
  Type.Optional(Type.String({ maxLength: MAX_QUERY_LENGTH })),
  'Conditions as JSON: an array of `{"field", "not", "values"}`. Values are alternatives, and all conditions must hold.',
);

/** A list's conditions, which its schema and `checkValues` have accepted. */
export type Where = readonly NarrowingCondition[];

export interface WhereField {
  /** Returns a phrase for the right values; undefined if this one is right. Absent if any text is right. */
  readonly problemOf?: (value: string) => string | undefined;
  /** The row has one of the values. It may be null for a row without a value. */
  readonly hasOneOf: (values: readonly string[], dialect: SqlDialect) => Condition;
}
type WhereFields = Readonly<Record<string, WhereField>>;

/**
 * Reads the conditions in the query of a route of the platform API. The returned function throws ValidationFailed with
 * the place of each fault.
 */
export function whereReader<const Names extends readonly string[]>(names: Names, fields: WhereFields) {
  const decode = compileDecoder(Type.Object({ where: whereOf('WhereCondition', names) }), 'body');
  return (text: string | undefined): Where => {
    if (text === undefined || text === '') return [];
    const decoded = decode({ where: parsed(text) });
    if (!decoded.ok) throw new ValidationFailed(decoded.issues.map(inQuery));
    const { where } = decoded.value;
    checkValues(where, fields, 'query');
    return where;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValidationFailed([{ type: 'json_invalid', loc: ['query', 'where'], msg: 'This is not JSON.' }]);
  }
}

function inQuery(issue: ValidationIssue): ValidationIssue {
  return { ...issue, loc: ['query', ...issue.loc.slice(1)] };
}

/** Throws ValidationFailed for each condition with a value that is not one of its field. */
export function checkValues(where: Where, fields: WhereFields, location: Location): void {
  const issues = where.flatMap(({ field, values }, index): ValidationIssue[] => {
    const problem = values.map((value) => fields[field]?.problemOf?.(value)).find((one) => one !== undefined);
    if (problem === undefined) return [];
    const msg = `Each value of ${field} is ${problem}.`;
    return [{ type: 'value_error', loc: [location, 'where', index, 'values'], msg }];
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** The compiled conditions, which `checkValues` has accepted. */
export function whereConditions(where: Where, fields: WhereFields, dialect: SqlDialect): Condition[] {
  return where.map(({ field, not, values }) => {
    const condition = fields[field]!.hasOneOf(values, dialect);
    // A row without a value has none of the values.
    return not ? sql<boolean>`(${condition}) is not true` : condition;
  });
}

interface CountedValues {
  readonly value: Expression;
  readonly label: Expression;
  /** `from … where …` */
  readonly source: Expression;
  readonly text: string;
  readonly limit: number;
}

/** The most frequent values that contain a text, or whose label does. */
export function countedValues(asked: CountedValues, dialect: SqlDialect): RawBuilder<FieldValue> {
  const { value, label, source, text, limit } = asked;
  const contains = (column: Expression) => dialect.containsLiterally(column, text);
  const wanted = text === '' ? always : or([contains(sql`counted.value`), contains(sql`counted.label`)]);
  return sql`select counted.value, counted.label, counted.count from (
      select cast(${value} as text) as value, max(cast(${label} as text)) as label, count(*) as count
      ${source} and ${value} is not null group by 1
    ) as counted where ${wanted} order by counted.count desc, counted.value limit ${limit}`;
}

/** Texts in any case of A to Z. One that ends with `*` is the beginning of texts. */
export function isOneOfTexts(column: Expression, values: readonly string[], dialect: SqlDialect): Condition {
  const folded = dialect.foldCase(column);
  const lower = values.map(foldCase);
  const beginnings = lower.filter((value) => value.endsWith('*')).map((value) => value.slice(0, -1));
  const whole = lower.filter((value) => !value.endsWith('*'));
  return or([
    ...(whole.length > 0 ? [dialect.oneOf(folded, whole, 'text')] : []),
    ...(beginnings.length > 0
      ? [
          sql<boolean>`exists (select 1 from ${dialect.textsFrom(JSON.stringify(beginnings))} beginning
            where substr(${folded}, 1, length(beginning.value)) = beginning.value)`,
        ]
      : []),
  ]);
}

function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A field of texts. */
export function textField(column: Expression): WhereField {
  return { hasOneOf: (values, dialect) => isOneOfTexts(column, values, dialect) };
}

/** A field that has one of a few words. */
export function wordField(column: Expression, words: readonly string[]): WhereField {
  return {
    problemOf: (value) => (words.includes(foldCase(value)) ? undefined : `one of ${words.join(', ')}`),
    hasOneOf: (values, dialect) => dialect.oneOf(column, values.map(foldCase), 'text'),
  };
}

/** A field of things with an id and a name: the id, or a part of the name in any case. */
export function namedField(id: Expression, name: Expression, type: 'uuid' | 'text' = 'uuid'): WhereField {
  return {
    hasOneOf: (values, dialect) => {
      const ids = values.filter(isUuid).map(normalUuid);
      const names = values.filter((value) => !isUuid(value));
      return or([
        ...(ids.length > 0 ? [dialect.oneOf(id, ids, type)] : []),
        ...(names.length > 0 ? [dialect.containsOneOf(name, names)] : []),
      ]);
    },
  };
}
