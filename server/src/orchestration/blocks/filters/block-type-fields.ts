import { sql } from 'kysely';
import type { FilterFields } from '../../../database/filters.ts';

/** Filterable fields of a block type. Adding one to the API is adding it here and to `BlockTypeFilter`. */
export const blockTypeFields: FilterFields = {
  name: { kind: 'text', column: sql`block_type.name` },
  slug: { kind: 'text', column: sql`block_type.slug` },
};
