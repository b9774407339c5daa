import { sql } from 'kysely';
import type { Filter } from '../../../database/lists/filters.ts';
import { listedColumns } from '../../../database/lists/large-values.ts';
import { rows } from '../../../database/rows.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { blockTypeCondition } from '../block-filters.ts';

export type BlockTypeRow = Row<'block_type'>;

/** The texts of a type that may be long. */
const TEXTS = ['logo_url', 'documentation_url', 'description', 'code_example'].map((column) => `block_type.${column}`);

/** Deleting a type deletes its schemas and documents. */
export const blockTypes = rows('block_type');

/** The types with these ids, by id. Throws Unprocessable when they have more bytes than one answer may have. */
export async function findBlockTypes(db: Db, ids: readonly string[]): Promise<Map<string, BlockTypeRow>> {
  if (ids.length === 0) return new Map();
  const query = {
    columns: sql`block_type.*`,
    rows: sql`from block_type where block_type."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`block_type.id`, ids, 'uuid')}`,
    long: TEXTS,
  };
  const types = await AnswerBytes.toRead().read<BlockTypeRow>(db, query);
  return new Map(types.map((type) => [type.id, type]));
}

interface BlockTypeFilters {
  readonly block_types?: Filter | null | undefined;
  readonly block_schemas?: Filter | null | undefined;
}

/** Lists types by name. */
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
