/** Converts rows to answers of the platform API. */

import type { TObject } from 'typebox';
import type { Static } from '../schema/kinds.ts';
import type { JsonText } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';
type UsualColumn<Field extends string> = SnakeCase<Field extends `${infer Name}At` ? Name : Field>;

/** Names of columns, for the fields whose column has another name. */
type Columns<Answer> = { readonly [Field in keyof Answer]?: string };
type ColumnOf<Field extends string, Given> = Field extends keyof Given
  ? Given[Field] extends string
    ? Given[Field]
    : never
  : UsualColumn<Field>;
/** A value that is one of several words is stored as text. */
type Stored<Value> = Value extends Timestamp | JsonText ? Value : Value extends string ? string : Value;
type RowOf<Answer, Given> = {
  readonly [Field in keyof Answer & string as ColumnOf<Field, Given>]: Stored<Answer[Field]>;
};

/**
 * The answer of this shape from a row: `organizationId` is the column `organization_id`, and `createdAt`, a time, is
 * `created`.
 */
export function answerOf<Shape extends TObject, const Given extends Columns<Static<Shape>> = Record<never, never>>(
  shape: Shape,
  columns?: Given,
) {
  const fields = Object.keys(shape.properties).map((field) => [field, columns?.[field as keyof Given] ?? usual(field)]);
  return (row: RowOf<Static<Shape>, Given>): Static<Shape> =>
    Object.fromEntries(
      fields.map(([field, column]) => [field, (row as Record<string, unknown>)[column as string]]),
    ) as Static<Shape>;
}

function usual(field: string): string {
  return field.replace(/At$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
