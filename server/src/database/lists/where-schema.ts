import { DateTime, described, Nullable, OneOf, Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';

const MOST_CONDITIONS = 20;
const MOST_VALUES = 50;
const LONGEST_VALUE = 300;

/** The conditions by which people narrow a list, on any of its `fields`. `$id` names the shape of one of them. */
export function whereOf<const Fields extends readonly string[]>($id: string, fields: Fields) {
  const condition = Shape($id, {
    field: OneOf(fields),
    not: described(withDefault(Type.Boolean(), false), 'Selects the rows that have none of the values.'),
    values: described(
      Type.Array(Type.String({ maxLength: LONGEST_VALUE }), { minItems: 1, maxItems: MOST_VALUES }),
      'Alternatives: a row has one of them.',
    ),
  });
  return described(
    withDefault(Type.Array(condition, { maxItems: MOST_CONDITIONS }), []),
    'Conditions that must all hold, in addition to the filters.',
  );
}

/** One condition, whose field is one of the list. */
export interface NarrowingCondition {
  readonly field: string;
  readonly not: boolean;
  readonly values: readonly string[];
}

const MOST_SUGGESTED = 50;

/** The parts of a body that asks for the values of one of the `fields`. */
export function valuesParts<const Fields extends readonly string[]>(fields: Fields) {
  return {
    field: described(OneOf(fields), 'The field whose values are asked for. Its own conditions do not count.'),
    text: described(
      withDefault(Type.String({ maxLength: LONGEST_VALUE }), ''),
      'Only values that contain this text, in any case.',
    ),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: MOST_SUGGESTED }), 20),
  };
}

const FieldValue = Shape(
  'FieldValue',
  {
    value: described(Type.String(), 'What a condition takes.'),
    label: described(Type.String(), 'The value as people read it.'),
    count: described(Type.Integer(), 'The rows that have the value, as far as they were counted.'),
  },
  'ignore',
);
export type FieldValue = Static<typeof FieldValue>;

export const FieldValues = Shape(
  'FieldValues',
  {
    values: Type.Array(FieldValue),
    counted_since: described(Nullable(DateTime()), 'Only rows that started later are counted; null when all are.'),
  },
  'ignore',
);
export type FieldValues = Static<typeof FieldValues>;
