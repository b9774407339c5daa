import { sql } from 'kysely';
import type { SqlDialect } from '../../../database/dialect/dialect.ts';
import { rows } from '../../../database/rows.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { type BlockFilters, blockDocumentCondition } from '../block-filters.ts';
import type { BlockDocumentSort } from './schema.ts';

export type BlockDocumentRow = Row<'block_document'>;

/** Deleting a document deletes its references in other documents. */
export const blockDocuments = rows('block_document');

const documentReferences = rows('block_document_reference');

/** `references` maps a field to its nested document. They replace the stored ones. */
export async function replaceReferences(tx: Tx, id: string, references: ReadonlyMap<string, string>): Promise<void> {
  const parent_block_document_id = id;
  await documentReferences.removeAll(tx, { parent_block_document_id });
  for (const [name, reference_block_document_id] of references) {
    await documentReferences.insert(tx, { parent_block_document_id, name, reference_block_document_id });
  }
}

interface BlockDocumentPage {
  readonly sort: BlockDocumentSort;
  /** Undefined means no limit. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Throws Unprocessable when the documents have more bytes than one answer may have. */
export async function listBlockDocuments(
  db: Db,
  filters: BlockFilters,
  { sort, limit, offset }: BlockDocumentPage,
): Promise<BlockDocumentRow[]> {
  const page = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const matching = sql`from block_document
      join block_type type on type.workspace = block_document.workspace and type.id = block_document.block_type_id
      where block_document."workspace" = ${db.workspace} and ${blockDocumentCondition(filters, db.dialect)}
      order by ${orderOf(sort, db.dialect)} ${page}`;
  const query = { columns: sql`block_document.*`, rows: matching, long: ['block_document.encrypted_data'] };
  return AnswerBytes.toRead().read(db, query);
}

export async function countBlockDocuments(db: Db, filters: BlockFilters): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*) as count from block_document
      where block_document."workspace" = ${db.workspace} and ${blockDocumentCondition(filters, db.dialect)}`,
  );
  return row?.count ?? 0;
}

function orderOf(sort: BlockDocumentSort, dialect: SqlDialect) {
  const name = sql`block_document.name`;
  switch (sort) {
    case 'NAME_ASC':
      return dialect.orderBy(name, 'asc');
    case 'NAME_DESC':
      return dialect.orderBy(name, 'desc');
    case 'BLOCK_TYPE_AND_NAME_ASC':
      return sql`${dialect.orderBy(sql`type.name`, 'asc')}, ${dialect.orderBy(name, 'asc')}`;
  }
}

/** A document in the field `reference_name` of `parent`. */
export type NestedDocumentRow = BlockDocumentRow & { readonly parent: string; readonly reference_name: string };

/** Throws Unprocessable when they have more bytes than are left. */
export async function listNestedDocuments(
  db: Db,
  parents: readonly string[],
  left: AnswerBytes,
): Promise<NestedDocumentRow[]> {
  const nested = sql`from block_document_reference reference
      join block_document nested on nested.workspace = reference.workspace
        and nested.id = reference.reference_block_document_id
      where reference."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`reference.parent_block_document_id`, parents, 'uuid')}`;
  return left.read(db, {
    columns: sql`nested.*, reference.parent_block_document_id as parent, reference.name as reference_name`,
    rows: nested,
    long: ['nested.encrypted_data'],
    order: sql`order by reference.parent_block_document_id, reference.name`,
  });
}
