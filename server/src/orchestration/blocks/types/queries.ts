import { sql } from 'kysely';
import { deleteReturningById, selectById } from '../../../database/by-id.ts';
import type { Filter } from '../../../database/filters.ts';
import { listedColumns } from '../../../database/large-values.ts';
import { rowOf, statement } from '../../../database/statement.ts';
import type { Db, Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables.ts';
import type { Timestamp } from '../../../time.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { blockTypeCondition } from '../block-filters.ts';

export type BlockTypeRow = Row<'block_type'>;

/** The texts of a type that may be long. */
const TEXTS = ['logo_url', 'documentation_url', 'description', 'code_example'].map((column) => `block_type.${column}`);

const typeById = selectById('block_type');

const typeBySlug = statement<{ slug: string }, BlockTypeRow>((query, given) =>
  query.selectFrom('block_type').selectAll().where('workspace', '=', given.workspace).where('slug', '=', given.slug),
);

const insertIfAbsent = statement<NewRow<'block_type'>, BlockTypeRow>((query, given) =>
  query
    .insertInto('block_type')
    .values(rowOf('block_type', given))
    .onConflict((conflict) => conflict.columns(['workspace', 'slug']).doNothing())
    .returningAll(),
);

const deleteType = deleteReturningById('block_type');

export function findBlockType(db: Db, id: string): Promise<BlockTypeRow | undefined> {
  return db.first(typeById, { id });
}

export function findBlockTypeBySlug(db: Db, slug: string): Promise<BlockTypeRow | undefined> {
  return db.first(typeBySlug, { slug });
}

/** The types with these ids, by id. Throws Unprocessable when they have more bytes than one answer may. */
export async function findBlockTypes(db: Db, ids: readonly string[]): Promise<Map<string, BlockTypeRow>> {
  if (ids.length === 0) return new Map();
  const rows = sql`from block_type where block_type."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`block_type.id`, ids, 'uuid')}`;
  const query = { columns: sql`block_type.*`, rows, long: TEXTS };
  const types = await AnswerBytes.toRead().read<BlockTypeRow>(db, query);
  return new Map(types.map((type) => [type.id, type]));
}

/** Undefined when the slug is taken: the unique index decides, so two writers cannot both win. */
export function insertBlockTypeIfAbsent(tx: Tx, type: NewRow<'block_type'>): Promise<BlockTypeRow | undefined> {
  return tx.first(insertIfAbsent, type);
}

export type BlockTypeChange = Partial<Omit<NewRow<'block_type'>, 'id' | 'created'>> & { readonly updated: Timestamp };

/** Undefined when there is no such type. */
export async function updateBlockTypeRow(
  tx: Tx,
  id: string,
  change: BlockTypeChange,
): Promise<BlockTypeRow | undefined> {
  const [type] = await tx.query(
    tx.dialect.builder
      .updateTable('block_type')
      .set(change)
      .where('workspace', '=', tx.workspace)
      .where('id', '=', id)
      .returningAll(),
  );
  return type;
}

/** Deletes the type and, through its foreign keys, its schemas and documents. Undefined when there is no such type. */
export function deleteBlockTypeRow(tx: Tx, id: string): Promise<BlockTypeRow | undefined> {
  return tx.first(deleteType, { id });
}

export interface BlockTypeFilters {
  readonly block_types?: Filter | null | undefined;
  readonly block_schemas?: Filter | null | undefined;
}

/** By name. */
export function listBlockTypes(
  db: Db,
  filters: BlockTypeFilters,
  page: { readonly limit: number; readonly offset: number },
): Promise<BlockTypeRow[]> {
  return db.query(
    sql<BlockTypeRow>`select ${listedColumns(db, 'block_type')} from block_type where block_type."workspace" = ${db.workspace}
      and ${blockTypeCondition(filters, db.dialect)}
      order by ${db.dialect.orderBy(sql`block_type.name`, 'asc')} limit ${page.limit} offset ${page.offset}`,
  );
}
