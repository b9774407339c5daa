/** Objects of the API as rows of our tables: most columns have the name of their field. */

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

/** An object of the source that does not fit; the message names the field. */
export class UnreadableObject extends ConfigError {}

/** Columns by name, as they are stored. */
type Columns<Name extends TableName> = Partial<NewRow<Name>>;

/**
 * The row of an object: the columns of `stored` as they are, the others from the fields of their names. Where the object
 * has no value, `absent` stands for it, else null. Throws UnreadableObject.
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

/** Ids are taken from the object as they are. One that is not an id would fail in the database. */
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

/** The objects of a list; none where the object does not have it. Throws UnreadableObject for anything else. */
export function objectsIn(table: string, object: SourceObject, field: string): readonly SourceObject[] {
  const value = object[field] ?? [];
  if (!Array.isArray(value) || !value.every(isJsonObject)) unreadable(table, field);
  return value;
}

function unreadable(table: string, field: string): never {
  throw new UnreadableObject(`The source answered a ${table.replaceAll('_', ' ')} whose ${field} cannot be read.`);
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
      // No text of PostgreSQL holds the character of code 0.
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
