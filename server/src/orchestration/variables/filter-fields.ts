import { sql } from 'kysely';
import type { FilterFields } from '../../database/filters.ts';

/** Filterable fields of a variable. Adding one to the API is adding it here and to `VariableFilter`. */
export const variableFields: FilterFields = {
  id: { kind: 'id', column: sql`variable.id` },
  name: { kind: 'text', column: sql`variable.name` },
  tags: { kind: 'tags', column: sql`variable.tags` },
};
