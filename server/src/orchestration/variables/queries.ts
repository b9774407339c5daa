import { sql } from 'kysely';
import { listing } from '../../database/lists/listing.ts';
import { rows } from '../../database/rows.ts';
import type { Row } from '../../database/tables/tables.ts';

export type VariableRow = Row<'variable'>;

/** Identifies a variable by its id or by its name. */
export type VariableKey = { readonly id: string } | { readonly name: string };

export const variables = {
  ...rows('variable'),
  /** A new field of the filter is added here and to `VariableFilter`. */
  ...listing(
    'variable',
    {
      id: { kind: 'id', column: sql`variable.id` },
      name: { kind: 'text', column: sql`variable.name` },
      tags: { kind: 'tags', column: sql`variable.tags` },
    },
    {
      NAME_ASC: sql`variable.name asc`,
      NAME_DESC: sql`variable.name desc`,
      CREATED_DESC: sql`variable.created desc, variable.id desc`,
      UPDATED_DESC: sql`variable.updated desc, variable.id desc`,
    },
  ),
};
