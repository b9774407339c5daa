import { sql } from 'kysely';
import { deleteById, selectById } from '../../../database/by-id.ts';
import type { SqlDialect } from '../../../database/dialect.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { type BlockFilters, blockDocumentCondition } from '../block-filters.ts';
import type { BlockDocumentSort } from './schema.ts';

export type BlockDocumentRow = Row<'block_document'>;

const documentById = selectById('block_document');

const documentByName = statement<{ block_type_id: string; name: string }, BlockDocumentRow>((query, given) =>
  query
    .selectFrom('block_document')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('block_type_id', '=', given.block_type_id)
    .where('name', '=', given.name),
);

const insertIfAbsent = statement<NewRow<'block_document'>, BlockDocumentRow>((query, given) =>
  query
    .insertInto('block_document')
    .values(rowOf('block_document', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'block_type_id', 'name']).doNothing())
    .returningAll(),
);

export type BlockDocumentChange = Pick<BlockDocumentRow, 'id' | 'updated' | 'encrypted_data' | 'block_schema_id'>;

const updateById = statement<BlockDocumentChange, BlockDocumentRow>((query, given) =>
  query
    .updateTable('block_document')
    .set({
      updated: given.updated,
      encrypted_data: given.encrypted_data,
      block_schema_id: given.block_schema_id,
    })
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .returningAll(),
);

const deleteDocument = deleteById('block_document');

const deleteReferences = statement<{ id: string }, unknown>((query, given) =>
  query
    .deleteFrom('block_document_reference')
    .where('workspace', '=', given.workspace)
    .where('parent_block_document_id', '=', given.id),
);

const insertReference = statement<NewRow<'block_document_reference'>, unknown>((query, given) =>
  query.insertInto('block_document_reference').values(rowOf('block_document_reference', given)),
);

export function findBlockDocument(db: Db, id: string): Promise<BlockDocumentRow | undefined> {
  return db.first(documentById, { id });
}

export function findBlockDocumentByName(
  db: Db,
  key: { readonly block_type_id: string; readonly name: string },
): Promise<BlockDocumentRow | undefined> {
  return db.first(documentByName, key);
}

/** Undefined when the type has a document of this name: the unique index decides. */
export function insertBlockDocumentIfAbsent(
  tx: Tx,
  document: NewRow<'block_document'>,
): Promise<BlockDocumentRow | undefined> {
  return tx.first(insertIfAbsent, document);
}

export function updateBlockDocumentRow(tx: Tx, change: BlockDocumentChange): Promise<BlockDocumentRow | undefined> {
  return tx.first(updateById, change);
}

/** Deletes the document and, through the foreign keys, its references in other documents. */
export async function deleteBlockDocumentRow(tx: Tx, id: string): Promise<void> {
  await tx.run(deleteDocument, { id });
}

/** `references` maps a field to its nested document. They replace the stored ones. */
export async function replaceReferences(tx: Tx, id: string, references: ReadonlyMap<string, string>): Promise<void> {
  await tx.run(deleteReferences, { id });
  for (const [name, reference_block_document_id] of references) {
    await tx.run(insertReference, { parent_block_document_id: id, name, reference_block_document_id });
  }
}

export interface BlockDocumentPage {
  readonly sort: BlockDocumentSort;
  /** Undefined means no limit. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Throws Unprocessable when the documents have more bytes than one answer may. */
export async function listBlockDocuments(
  db: Db,
  filters: BlockFilters,
  { sort, limit, offset }: BlockDocumentPage,
): Promise<BlockDocumentRow[]> {
  const page = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const rows = sql`from block_document
      join block_type type on type.workspace = block_document.workspace and type.id = block_document.block_type_id
      where block_document."workspace" = ${db.workspace} and ${blockDocumentCondition(filters, db.dialect)}
      order by ${orderOf(sort, db.dialect)} ${page}`;
  const query = { columns: sql`block_document.*`, rows, long: ['block_document.encrypted_data'] };
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
  const rows = sql`from block_document_reference reference
      join block_document nested on nested.workspace = reference.workspace
        and nested.id = reference.reference_block_document_id
      where reference."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`reference.parent_block_document_id`, parents, 'uuid')}`;
  return left.read(db, {
    columns: sql`nested.*, reference.parent_block_document_id as parent, reference.name as reference_name`,
    rows,
    long: ['nested.encrypted_data'],
    order: sql`order by reference.parent_block_document_id, reference.name`,
  });
}
