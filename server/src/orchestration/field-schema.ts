/** Fields that several resources have. */
import {
  DateTime,
  JsonObjectOf,
  Maybe,
  Nullable,
  Shape,
  type Static,
  type TSchema,
  Type,
  Uuid,
} from '../schema/kinds.ts';

/** What every stored object begins with in an answer. */
export const stamps = { id: Uuid(), created: Nullable(DateTime()), updated: Nullable(DateTime()) };

/** Names that appear in URLs and event resources. */
export const NAME_PATTERN = '^[^/%&><]+$';
export const Name = Type.String({ pattern: NAME_PATTERN });

export const Tags = Type.Array(Type.String());

/** Labels keep the kind of their values: `1` and `1.0` come back as they were given. */
export const Labels = JsonObjectOf(Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Type.String()]));

const author = { id: Maybe(Uuid()), type: Maybe(Type.String()), display_value: Maybe(Type.String()) };

/** Who made an object: a deployment's schedule, an automation. Absent for people. */
export const CreatedBy = Shape('CreatedBy', author, 'ignore');
export type CreatedBy = Static<typeof CreatedBy>;

export const UpdatedBy = Shape('UpdatedBy', author, 'ignore');
export type UpdatedBy = Static<typeof UpdatedBy>;

/** Still accepted or answered, for old clients. */
export function deprecated<T extends TSchema>(schema: T): T {
  return { ...schema, deprecated: true };
}
