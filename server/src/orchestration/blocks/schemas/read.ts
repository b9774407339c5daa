/** Block schemas in answers: the schemas of nested blocks are put back as definitions. */
import type { Db } from '../../../database/store.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import { isJsonObject, type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { AnswerBytes, bytesOfRow } from '../answer-bytes.ts';
import { type BlockTypeRow, findBlockTypes } from '../types/queries.ts';
import type { JsonFields } from './definitions.ts';
import { type BlockSchemaRow, listNestedSchemas, type NestedSchemaRow } from './queries.ts';

export interface BlockSchemaAnswer extends Omit<BlockSchemaRow, 'workspace'> {
  readonly block_type: BlockTypeRow | null;
}

/** In the order of `rows`. Throws Unprocessable when they have more bytes than one answer may have. */
export async function readBlockSchemas(db: Db, rows: readonly BlockSchemaRow[]): Promise<BlockSchemaAnswer[]> {
  const types = await findBlockTypes(db, [...new Set(rows.map((row) => row.block_type_id))]);
  const nested = await nestedSchemasOf(
    db,
    rows.map(({ id }) => id),
  );
  const answer = AnswerBytes.toSend();
  const schemas: BlockSchemaAnswer[] = [];
  for (const row of rows) {
    const block_type = types.get(row.block_type_id) ?? null;
    answer.take(bytesOfRow(block_type));
    schemas.push({ ...row, fields: wholeFields(row, nested, answer), block_type });
    if (row.fields.length > LARGE_LENGTH) await nextTurn();
  }
  return schemas;
}

export async function readBlockSchema(db: Db, row: BlockSchemaRow): Promise<BlockSchemaAnswer> {
  const [schema] = await readBlockSchemas(db, [row]);
  if (!schema) throw new Error('Reading one block schema gave none.');
  return schema;
}

/** After a schema of this length, other requests get a turn. */
const LARGE_LENGTH = 64 * 1024;

type NestedSchemas = ReadonlyMap<string, readonly NestedSchemaRow[]>;

/** Nested blocks at any depth, by the schema that has them in a field. Two queries per level. */
async function nestedSchemasOf(db: Db, ids: readonly string[]): Promise<NestedSchemas> {
  const found = new Map<string, NestedSchemaRow[]>();
  const left = AnswerBytes.toRead();
  let level = [...new Set(ids)];
  while (level.length > 0) {
    for (const id of level) found.set(id, []);
    const rows = await listNestedSchemas(db, level, left);
    for (const row of rows) found.get(row.parent)?.push(row);
    level = [...new Set(rows.map(({ id }) => id))].filter((id) => !found.has(id));
  }
  return found;
}

function wholeFields({ id, fields }: BlockSchemaRow, nested: NestedSchemas, answer: AnswerBytes): JsonText {
  answer.take(fields.length);
  const own = parseObject(fields);
  const { definitions: given, ...rest } = own;
  const definitions: JsonFields = isJsonObject(given) ? { ...given } : {};
  const seen = new Set([id]);
  const include = (parent: string) => {
    for (const child of nested.get(parent) ?? []) {
      if (seen.has(child.id)) continue;
      seen.add(child.id);
      answer.take(child.fields.length);
      const { definitions: ofChild, ...childFields } = parseObject(child.fields);
      const title = typeof childFields['title'] === 'string' ? childFields['title'] : child.slug;
      Object.assign(definitions, {
        [title]: { ...childFields, block_schema_references: referencesOf(child.id, nested) },
        ...(isJsonObject(ofChild) ? ofChild : {}),
      });
      include(child.id);
    }
  };
  include(id);
  const block_schema_references = referencesOf(id, nested);
  if (Object.keys(definitions).length === 0) return jsonTextOf({ ...own, block_schema_references });
  return jsonTextOf({ ...rest, block_schema_references, definitions });
}

/** The block in each field, or a list when there are alternatives. */
function referencesOf(id: string, nested: NestedSchemas): JsonFields {
  const byName = new Map<string, unknown[]>();
  for (const { name, slug, checksum } of nested.get(id) ?? []) {
    const references = byName.get(name) ?? [];
    references.push({ block_schema_checksum: checksum, block_type_slug: slug });
    byName.set(name, references);
  }
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}
