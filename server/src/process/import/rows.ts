/** Converts objects of the API to rows of our tables: most columns have the name of their field. */

import {
  type ColumnKind,
  type ColumnSpec,
  kindOf,
  type NewRow,
  type TableName,
  tables,
} from '../../database/tables/tables.ts';
import { ConfigError } from '../../errors.ts';
import { parseDateTime } from '../../schema/parse-datetime.ts';
import { uuidSpelledBy } from '../../values/id.ts';
import { isJsonObject, isRawNumber, type JsonText, jsonTextOf, numberOf } from '../../values/json.ts';
import type { SourceObject } from './sources/source.ts';

/** An object of the source that cannot be converted; the message names the field. */
export class UnreadableObject extends ConfigError {}

/** Columns by name, in the stored form. */
type Columns<Name extends TableName> = Partial<NewRow<Name>>;

/**
 * The row of an object: `stored` gives some columns directly, the others come from the fields of their names. If the
 * object has no value, the column gets the value in `absent`, else null. Throws UnreadableObject.
 */
export function rowFrom<Name extends TableName>(
  table: Name,
  object: SourceObject,
  stored: Columns<Name> = {},
  absent: Columns<Name> = {},
): NewRow<Name> {
  const columns: Record<string, ColumnSpec> = tables[table];
  const row: Record<string, unknown> = {};
  for (const [column, spec] of Object.entries(columns)) {
    if (column === 'workspace') continue;
    const value = object[column] ?? null;
    if (column in stored) row[column] = checked(table, column, spec, stored[column as keyof typeof stored]);
    else if (value === null && column in absent) row[column] = absent[column as keyof typeof absent];
    else if (value === null && spec.endsWith('?')) row[column] = null;
    else row[column] = storedAs(kindOf(spec), value) ?? unreadable(table, column);
  }
  return row as NewRow<Name>;
}

/** Ids are copied unchanged. An invalid id would fail in the database. */
function checked(table: string, column: string, spec: ColumnSpec, value: unknown): unknown {
  if (kindOf(spec) !== 'uuid' || value === null) return value;
  return storedAs('uuid', value) ?? unreadable(table, column);
}

/** A field that the row has under another name. Throws UnreadableObject. */
export function valueIn<Kind extends 'text' | 'uuid' | 'integer'>(
  kind: Kind,
  table: string,
  object: SourceObject,
  field: string,
): Kind extends 'integer' ? number : string {
  return (storedAs(kind, object[field]) ?? unreadable(table, field)) as Kind extends 'integer' ? number : string;
}

/** The objects of a list; empty if the object lacks the field. Throws UnreadableObject for any other value. */
export function objectsIn(table: string, object: SourceObject, field: string): readonly SourceObject[] {
  const value = object[field] ?? [];
  if (!Array.isArray(value) || !value.every(isJsonObject)) unreadable(table, field);
  return value;
}

function unreadable(table: string, field: string): never {
  throw new UnreadableObject(`The source returned a ${table.replaceAll('_', ' ')} whose ${field} cannot be read.`);
}

/** Undefined for a value of another kind. */
function storedAs(kind: ColumnKind, value: unknown): unknown {
  switch (kind) {
    case 'json':
      return value === null ? undefined : jsonTextOf(value);
    case 'timestamp':
      return typeof value === 'string' ? parseDateTime(value) : undefined;
    case 'uuid':
      return typeof value === 'string' ? uuidSpelledBy(value) : undefined;
    case 'text':
      // PostgreSQL text cannot contain the character NUL.
      return typeof value === 'string' ? value.replaceAll('\0', '') : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    default: {
      const number = typeof value === 'number' || isRawNumber(value) ? numberOf(value) : undefined;
      return kind === 'float' || Number.isSafeInteger(number) ? number : undefined;
    }
  }
}

export const EMPTY_OBJECT = '{}' as JsonText;
export const EMPTY_LIST = '[]' as JsonText;
