/** Fields that several resources have. */

import {
  DateTime,
  Enum,
  JsonObjectOf,
  Maybe,
  Nullable,
  prepare,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
} from '../../schema/kinds.ts';
import { isJsonObject, numberOf } from '../../values/json.ts';

/** A random name replaces null, an empty text and every other value that the Prefect server treats as absent. */
export const RunName = prepare(Maybe(Type.String()), (input) => ({ value: isNothing(input) ? null : input }));

/** Values that are false in Python. */
export function isNothing(input: unknown): boolean {
  if (Array.isArray(input)) return input.length === 0;
  if (isJsonObject(input)) return Object.keys(input).length === 0;
  return input === '' || input === false || numberOf(input) === 0;
}

/** The types of states. Each state of a run has a name in addition to its type. */
export const stateTypes = [
  'SCHEDULED',
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CRASHED',
  'PAUSED',
  'CANCELLING',
] as const;
export const StateType = Enum('StateType', stateTypes);
export type StateType = Static<typeof StateType>;

/** The first fields of every stored object in an answer. */
export const stamps = { id: Uuid(), created: Nullable(DateTime()), updated: Nullable(DateTime()) };

/** Names that appear in URLs and event resources. */
export const NAME_PATTERN = '^[^/%&><]+$';
export const Name = Type.String({ pattern: NAME_PATTERN });

/** Each tag of a run is a row, and a related resource of its events. */
export const MAX_TAGS = 1000;

export const Tags = Type.Array(Type.String(), { maxItems: MAX_TAGS });

/** Labels keep the kind of their values: `1` and `1.0` are returned as they were given. */
export const Labels = JsonObjectOf(Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Type.String()]));

const author = { id: Maybe(Uuid()), type: Maybe(Type.String()), display_value: Maybe(Type.String()) };

/** The creator of an object: a deployment's schedule or an automation. Absent for people. */
export const CreatedBy = Shape('CreatedBy', author, 'ignore');
export type CreatedBy = Static<typeof CreatedBy>;

export const UpdatedBy = Shape('UpdatedBy', author, 'ignore');
export type UpdatedBy = Static<typeof UpdatedBy>;

/** A field that the server still accepts or returns for old clients. */
export function deprecated<T extends TSchema>(schema: T): T {
  return { ...schema, deprecated: true };
}
