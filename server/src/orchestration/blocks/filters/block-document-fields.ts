import { sql } from 'kysely';
import type { FilterFields } from '../../../database/filters.ts';

/** Filterable fields of a block document. Adding one to the API is adding it here and to `BlockDocumentFilter`. */
export const blockDocumentFields: FilterFields = {
  id: { kind: 'id', column: sql`block_document.id` },
  is_anonymous: { kind: 'boolean', column: sql`block_document.is_anonymous` },
  block_type_id: { kind: 'id', column: sql`block_document.block_type_id` },
  name: { kind: 'text', column: sql`block_document.name` },
};
