/** Pages of objects that are listed by name. */
import { sql } from 'kysely';
import { always, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import { Nullable, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';

/** The position between a page and the next. */
export const NamePosition = Shape('NamePosition', { name: Type.String(), id: Uuid() }, 'ignore');
export type NamePosition = Static<typeof NamePosition>;

export const nextPage = { next: Nullable(NamePosition) };

/** Rows after the position in the order of `name`, `id`. */
export function afterPosition(name: Expression, id: Expression, after: NamePosition | null | undefined): Condition {
  if (!after) return always;
  return sql<boolean>`(${name} > ${after.name} or (${name} = ${after.name} and ${id} > ${after.id}))`;
}

/** The page from rows that were read with one more than it has. */
export function pageOf<Row extends NamePosition>(found: readonly Row[], limit: number) {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last ? { name: last.name, id: last.id } : null };
}
