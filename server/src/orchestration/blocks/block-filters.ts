/**
 * Filters across block types, schemas and documents. An empty filter (`{}`) still requires that a related row exists.
 * Source: the filter routes of the Prefect server 3.9.1, with which server/test/reference compares.
 */
import { sql } from 'kysely';
import { always, and, type Condition, type SqlDialect } from '../../database/dialect/dialect.ts';
import { compileFilter, type Filter, type FilterFields } from '../../database/lists/filters.ts';
import { Maybe, Shape, type Static, withDefault } from '../../schema/kinds.ts';
import { flag, ids, operator, text, texts } from '../filters/filter-schema.ts';

export const BlockDocumentFilter = Shape('BlockDocumentFilter', {
  operator,
  id: Maybe(Shape('BlockDocumentFilterId', { any_: ids })),
  /** Absent means the documents with a name of their own, null means all. */
  is_anonymous: withDefault(Maybe(Shape('BlockDocumentFilterIsAnonymous', { eq_: flag })), { eq_: false }),
  block_type_id: Maybe(Shape('BlockDocumentFilterBlockTypeId', { any_: ids })),
  name: Maybe(Shape('BlockDocumentFilterName', { any_: texts, like_: text })),
});
export type BlockDocumentFilter = Static<typeof BlockDocumentFilter>;

/** Filterable fields of a block document. A new field is added here and to `BlockDocumentFilter`. */
const blockDocumentFields: FilterFields = {
  id: { kind: 'id', column: sql`block_document.id` },
  is_anonymous: { kind: 'boolean', column: sql`block_document.is_anonymous` },
  block_type_id: { kind: 'id', column: sql`block_document.block_type_id` },
  name: { kind: 'text', column: sql`block_document.name` },
};

export const BlockSchemaFilter = Shape('BlockSchemaFilter', {
  operator,
  block_type_id: Maybe(Shape('BlockSchemaFilterBlockTypeId', { any_: ids })),
  block_capabilities: Maybe(Shape('BlockSchemaFilterCapabilities', { all_: texts })),
  id: Maybe(Shape('BlockSchemaFilterId', { any_: ids })),
  version: Maybe(Shape('BlockSchemaFilterVersion', { any_: texts })),
});
export type BlockSchemaFilter = Static<typeof BlockSchemaFilter>;

/** Filterable fields of a block schema. A new field is added here and to `BlockSchemaFilter`. */
export const blockSchemaFields: FilterFields = {
  block_type_id: { kind: 'id', column: sql`block_schema.block_type_id` },
  block_capabilities: { kind: 'tags', column: sql`block_schema.capabilities` },
  id: { kind: 'id', column: sql`block_schema.id` },
  version: { kind: 'text', column: sql`block_schema.version` },
};

export const BlockTypeFilter = Shape('BlockTypeFilter', {
  name: Maybe(Shape('BlockTypeFilterName', { like_: text })),
  slug: Maybe(Shape('BlockTypeFilterSlug', { any_: texts })),
});
export type BlockTypeFilter = Static<typeof BlockTypeFilter>;

/** Filterable fields of a block type. A new field is added here and to `BlockTypeFilter`. */
const blockTypeFields: FilterFields = {
  name: { kind: 'text', column: sql`block_type.name` },
  slug: { kind: 'text', column: sql`block_type.slug` },
};

/** The filters of a request, by their names in its body. */
export interface BlockFilters {
  readonly block_types?: Filter | null | undefined;
  readonly block_schemas?: Filter | null | undefined;
  readonly block_documents?: Filter | null | undefined;
}

/** The condition for queries on `block_type`: one of its schemas must match. */
export function blockTypeCondition(filters: BlockFilters, dialect: SqlDialect): Condition {
  const ofSchema = filters.block_schemas
    ? sql<boolean>`exists (select 1 from block_schema where block_schema.workspace = block_type.workspace
        and block_schema.block_type_id = block_type.id
        and ${compileFilter(filters.block_schemas, blockSchemaFields, dialect.nested)})`
    : always;
  return and([compileFilter(filters.block_types, blockTypeFields, dialect), ofSchema]);
}

/** Excludes anonymous documents unless the filter mentions them. */
const namedOnly: Filter = { is_anonymous: { eq_: false } };

/** The condition for queries on `block_document`. */
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
