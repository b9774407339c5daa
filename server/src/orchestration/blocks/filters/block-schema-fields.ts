import { sql } from 'kysely';
import type { FilterFields } from '../../../database/filters.ts';

/** Filterable fields of a block schema. Adding one to the API is adding it here and to `BlockSchemaFilter`. */
export const blockSchemaFields: FilterFields = {
  block_type_id: { kind: 'id', column: sql`block_schema.block_type_id` },
  block_capabilities: { kind: 'tags', column: sql`block_schema.capabilities` },
  id: { kind: 'id', column: sql`block_schema.id` },
  version: { kind: 'text', column: sql`block_schema.version` },
};
