import { sql } from 'kysely';
import { compileFilter, type Filter } from '../../../database/lists/filters.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { blockSchemaFields } from '../block-filters.ts';

export type BlockSchemaRow = Row<'block_schema'>;

/** Deleting a schema deletes its documents. */
export const blockSchemas = rows('block_schema');
export const schemaReferences = rows('block_schema_reference');

const newestByChecksum = statement<{ checksum: string }, BlockSchemaRow>((query, given) =>
  query
    .selectFrom('block_schema')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('checksum', '=', given.checksum)
    .orderBy('created', 'desc')
    .limit(1),
);

const capabilitySets = statement<Record<never, never>, { capabilities: JsonText }>((query, given) =>
  query.selectFrom('block_schema').select('capabilities').distinct().where('workspace', '=', given.workspace),
);

/** The newest schema with the checksum; with a version, only in that version. */
export function findBlockSchemaByChecksum(
  db: Db,
  checksum: string,
  version?: string | null,
): Promise<BlockSchemaRow | undefined> {
  return typeof version === 'string'
    ? blockSchemas.first(db, { checksum, version })
    : db.first(newestByChecksum, { checksum });
}

/** Throws Unprocessable when they have more bytes than one answer may have. */
export async function findBlockSchemas(db: Db, ids: readonly string[]): Promise<BlockSchemaRow[]> {
  if (ids.length === 0) return [];
  const matching = sql`from block_schema where block_schema."workspace" = ${db.workspace}
      and ${db.dialect.oneOf(sql`block_schema.id`, ids, 'uuid')}`;
  return AnswerBytes.toRead().read(db, { columns: sql`block_schema.*`, rows: matching, long: ['block_schema.fields'] });
}

/** Newest first. Throws Unprocessable when they have more bytes than one answer may have. */
export async function listBlockSchemas(
  db: Db,
  filter: Filter | null | undefined,
  page: { readonly limit: number; readonly offset: number },
): Promise<BlockSchemaRow[]> {
  const matching = sql`from block_schema where block_schema."workspace" = ${db.workspace}
      and ${compileFilter(filter, blockSchemaFields, db.dialect)}
      order by block_schema.created desc, block_schema.id limit ${page.limit} offset ${page.offset}`;
  return AnswerBytes.toRead().read(db, { columns: sql`block_schema.*`, rows: matching, long: ['block_schema.fields'] });
}

/** All distinct lists of capabilities of schemas. */
export async function listCapabilitySets(db: Db): Promise<JsonText[]> {
  return (await db.all(capabilitySets)).map(({ capabilities }) => capabilities);
}

/** A field of `parent` that holds a block of the schema `id`. */
export interface NestedSchemaRow {
  readonly parent: string;
  readonly name: string;
  readonly id: string;
  readonly checksum: string;
  readonly fields: JsonText;
  readonly slug: string;
}

/** The blocks in the fields of these schemas, in the order they were given. Throws Unprocessable for too many bytes. */
export async function listNestedSchemas(
  db: Db,
  parents: readonly string[],
  left: AnswerBytes,
): Promise<NestedSchemaRow[]> {
  const matching = sql`from block_schema_reference reference
      join block_schema nested on nested.workspace = reference.workspace
        and nested.id = reference.reference_block_schema_id
      join block_type on block_type.workspace = nested.workspace and block_type.id = nested.block_type_id
      where reference."workspace" = ${db.workspace}
        and ${db.dialect.oneOf(sql`reference.parent_block_schema_id`, parents, 'uuid')}`;
  return left.read(db, {
    columns: sql`reference.parent_block_schema_id as parent, reference.name, nested.id, nested.checksum,
        nested.fields, block_type.slug`,
    rows: matching,
    long: ['nested.fields'],
    order: sql`order by reference.parent_block_schema_id, reference.position`,
  });
}
