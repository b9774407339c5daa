/**
 * Filters across block types, schemas and documents. A filter that is given and asks nothing (`{}`) still means that a
 * related row exists. Source: asked of the reference server.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type SqlDialect } from '../../../database/dialect.ts';
import { compileFilter, type Filter } from '../../../database/filters.ts';
import { blockDocumentFields } from './block-document-fields.ts';
import { blockSchemaFields } from './block-schema-fields.ts';
import { blockTypeFields } from './block-type-fields.ts';

/** The filters a request may carry, by their names in its body. */
export interface BlockFilters {
  readonly block_types?: Filter | null | undefined;
  readonly block_schemas?: Filter | null | undefined;
  readonly block_documents?: Filter | null | undefined;
}

/** For queries on `block_type`: one of its schemas must match. */
export function blockTypeCondition(filters: BlockFilters, dialect: SqlDialect): Condition {
  const ofSchema = filters.block_schemas
    ? sql<boolean>`exists (select 1 from block_schema where block_schema.workspace = block_type.workspace
        and block_schema.block_type_id = block_type.id
        and ${compileFilter(filters.block_schemas, blockSchemaFields, dialect.nested)})`
    : always;
  return and([compileFilter(filters.block_types, blockTypeFields, dialect), ofSchema]);
}

/** Anonymous documents are left out unless the filter speaks of them. */
const namedOnly: Filter = { is_anonymous: { eq_: false } };

/** For queries on `block_document`. */
export function blockDocumentCondition(filters: BlockFilters, dialect: SqlDialect): Condition {
  const ofType = filters.block_types
    ? sql<boolean>`exists (select 1 from block_type where block_type.workspace = block_document.workspace
        and block_type.id = block_document.block_type_id
        and ${compileFilter(filters.block_types, blockTypeFields, dialect.nested)})`
    : always;
  const ofSchema = filters.block_schemas
    ? sql<boolean>`exists (select 1 from block_schema where block_schema.workspace = block_document.workspace
        and block_schema.id = block_document.block_schema_id
        and ${compileFilter(filters.block_schemas, blockSchemaFields, dialect.nested)})`
    : always;
  return and([compileFilter(filters.block_documents ?? namedOnly, blockDocumentFields, dialect), ofType, ofSchema]);
}
