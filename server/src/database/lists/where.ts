/**
 * Conditions with which a reader narrows a list. Each names a field and values, of which a row must have one, or none
 * with `not`; all conditions must hold. Each list has a table of its fields.
 */
import { type RawBuilder, sql } from 'kysely';
import { ValidationFailed, type ValidationIssue } from '../../errors.ts';
import { compileDecoder, type Location } from '../../schema/decode.ts';
import { DateTime, described, Nullable, Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';
import { isUuid, normalUuid } from '../../values/id.ts';
import { always, type Condition, type Expression, or, type SqlDialect } from '../dialect/dialect.ts';

const MAX_CONDITIONS = 20;
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 300;
const MAX_SUGGESTIONS = 50;
/** Characters of conditions in an address. */
const MAX_QUERY_LENGTH = 16_000;

const WhereCondition = Shape('WhereCondition', {
  field: Type.String({ maxLength: MAX_VALUE_LENGTH }),
  not: described(withDefault(Type.Boolean(), false), 'True for rows that have none of the values.'),
  values: described(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH }), { minItems: 1, maxItems: MAX_VALUES }),
    'Alternatives.',
  ),
});

export const Where = Type.Array(WhereCondition, { maxItems: MAX_CONDITIONS });
export type Where = Static<typeof Where>;

/** The conditions in the query of a route: JSON text. */
export const whereQuery = described(
  Type.Optional(Type.String({ maxLength: MAX_QUERY_LENGTH })),
  'Conditions as JSON: an array of `{"field", "not", "values"}`. Values are alternatives, and all conditions must hold.',
);

/** The question for suggested values of a field. */
export const suggestionFields = {
  field: Type.String({ maxLength: MAX_VALUE_LENGTH }),
  text: withDefault(described(Type.String({ maxLength: MAX_VALUE_LENGTH }), 'Part of the value or of its label.'), ''),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: MAX_SUGGESTIONS }), 20),
};

const ListValue = Shape('ListValue', { value: Type.String(), label: Type.String(), count: Type.Integer() }, 'ignore');
export type ListValue = Static<typeof ListValue>;

export const ListValues = Shape(
  'ListValues',
  {
    values: described(Type.Array(ListValue), 'Most frequent first, counted under the conditions on other fields.'),
    counted_since: described(
      Nullable(DateTime()),
      'Set if there are too many rows to count: only rows from this time on are counted.',
    ),
  },
  'ignore',
);
export type ListValues = Static<typeof ListValues>;

export interface WhereField {
  /** The reason why this is not a value of the field; undefined if it is one. */
  readonly fault?: (value: string) => string | undefined;
  /** The row has one of the values. It may be null for a row without a value. */
  readonly hasOneOf: (values: readonly string[], dialect: SqlDialect) => Condition;
}
export type WhereFields = Readonly<Record<string, WhereField>>;

const decodeWhere = compileDecoder(Type.Object({ where: Where }), 'body');

/** Reads the conditions of a query. Throws ValidationFailed with the place of each fault. */
export function readWhere(text: string | undefined, fields: WhereFields): Where {
  if (text === undefined || text === '') return [];
  const decoded = decodeWhere({ where: parsed(text) });
  if (!decoded.ok) throw new ValidationFailed(decoded.issues.map((issue) => inQuery(issue)));
  checkWhere(decoded.value.where, fields, 'query');
  return decoded.value.where;
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

/** Throws ValidationFailed for each unknown field and each value that is not one of its field. */
export function checkWhere(where: Where, fields: WhereFields, location: Location): void {
  const issues = where.flatMap(({ field, values }, index): ValidationIssue[] => {
    const known = fieldOf(fields, field);
    const refuse = (part: string, msg: string) => ({ type: 'value_error', loc: [location, 'where', index, part], msg });
    if (!known) return [refuse('field', unknownField(fields))];
    const fault = values.map((value) => known.fault?.(value)).find((one) => one !== undefined);
    return fault === undefined ? [] : [refuse('values', fault)];
  });
  if (issues.length > 0) throw new ValidationFailed(issues);
}

/** Throws ValidationFailed for a question for values of a field that the list does not have. */
export function checkField<Fields extends WhereFields>(
  field: string,
  fields: Fields,
  location: Location,
): asserts field is keyof Fields & string {
  if (fieldOf(fields, field)) return;
  throw new ValidationFailed([{ type: 'value_error', loc: [location, 'field'], msg: unknownField(fields) }]);
}

function unknownField(fields: WhereFields): string {
  return `This list has the fields ${Object.keys(fields).join(', ')}.`;
}

function fieldOf(fields: WhereFields, field: string): WhereField | undefined {
  return Object.hasOwn(fields, field) ? fields[field] : undefined;
}

/** The compiled conditions, which `checkWhere` has accepted. */
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
export function countedValues(asked: CountedValues, dialect: SqlDialect): RawBuilder<ListValue> {
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
    fault: (value) => (words.includes(foldCase(value)) ? undefined : `A value is one of ${words.join(', ')}.`),
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
