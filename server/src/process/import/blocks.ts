/** Imports block types, schemas and documents, with the secrets that the source reveals. */
import { ApiError } from '../../errors.ts';
import { replaceReferences } from '../../orchestration/blocks/documents/queries.ts';
import { HIDDEN } from '../../orchestration/blocks/documents/secret-fields.ts';
import { blockSchemaChecksum } from '../../orchestration/blocks/schemas/checksum.ts';
import { findBlockSchemaByChecksum } from '../../orchestration/blocks/schemas/queries.ts';
import { registerBlockSchema } from '../../orchestration/blocks/schemas/register.ts';
import { isJsonObject, jsonTextOf } from '../../values/json.ts';
import { EMPTY_LIST, rowFrom, valueIn } from './rows.ts';
import type { SourceObject } from './sources/source.ts';
import type { Import } from './step.ts';

export async function importBlocks(given: Import): Promise<void> {
  await importTypes(given);
  await importSchemas(given);
  await importDocuments(given);
}

async function importTypes({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('block_types')) {
    const rows = page.map((type) => rowFrom('block_type', type, {}, { is_protected: false }));
    await target.transaction((tx) => target.add(tx, 'block types', 'block_type', rows, ['slug']));
  }
}

/** An existing schema with the same checksum and version replaces the source's. */
async function importSchemas({ source, target }: Import): Promise<void> {
  for await (const page of source.objects('block_schemas')) {
    for (const object of page) {
      const { fields } = object;
      if (!isJsonObject(fields)) continue;
      const now = target.clock.now();
      const block_type_id = target.idOf(valueIn('uuid', 'block_schema', object, 'block_type_id'));
      const absent = { created: now, updated: now, version: 'non-versioned', capabilities: EMPTY_LIST };
      const row = rowFrom('block_schema', object, { block_type_id, checksum: '' }, absent);
      const { id, capabilities, version } = row;
      const schema = { id, fields, block_type_id: row.block_type_id, capabilities, version };
      if (target.isDry) {
        const known = await findBlockSchemaByChecksum(target.db, blockSchemaChecksum(fields), version);
        if (known) target.isHereAs(id, known.id);
        target.count('block schemas', 1, known ? 0 : 1);
        continue;
      }
      try {
        const registered = await target.transaction((tx) => registerBlockSchema({ now: row.created }, tx, schema));
        target.isHereAs(schema.id, registered.schema.id);
        target.count('block schemas', 1, registered.isNew ? 1 : 0);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        target.count('block schemas', 1, 0);
        target.remark(`The block schema ${id} was left out: ${error.message}`);
      }
    }
  }
}

/** References are written last, because a document may refer to one on a later page. */
async function importDocuments({ source, target, encryption }: Import): Promise<void> {
  const references = new Map<string, ReadonlyMap<string, string>>();
  for await (const page of source.objects('block_documents')) {
    const rows = page.map((document) => {
      const { values, nested } = separated(document);
      references.set(String(document['id']), nested);
      const stored = {
        encrypted_data: encryption.encrypt(jsonTextOf(values)),
        is_anonymous: document['is_anonymous'] === true,
        block_type_id: target.idOf(valueIn('uuid', 'block_document', document, 'block_type_id')),
        block_schema_id: target.idOf(valueIn('uuid', 'block_document', document, 'block_schema_id')),
      };
      return rowFrom('block_document', document, stored, { name: `anonymous-${document['id']}` });
    });
    const added = await target.transaction((tx) =>
      target.add(tx, 'block documents', 'block_document', rows, ['block_type_id', 'name']),
    );
    for (const document of page.filter(({ id }) => added.has(String(id)))) remarkHidden(target, document);
  }
  for (const [id, nested] of references) {
    if (nested.size === 0 || target.idOf(id) !== id) continue;
    const here = new Map(Array.from(nested, ([field, document]) => [field, target.idOf(document)]));
    await target.transaction((tx) => replaceReferences(tx, id, here));
  }
}

/** The values of a document, and the ids of the documents in its other fields. */
function separated({ data, block_document_references: given }: SourceObject) {
  const nested = new Map<string, string>();
  for (const [field, reference] of Object.entries(isJsonObject(given) ? given : {})) {
    const document = isJsonObject(reference) ? reference['block_document'] : undefined;
    if (isJsonObject(document)) nested.set(field, valueIn('uuid', 'block_document', document, 'id'));
  }
  const values = Object.entries(isJsonObject(data) ? data : {}).filter(([field]) => !nested.has(field));
  return { values: Object.fromEntries(values), nested };
}

function remarkHidden(target: Import['target'], { data, name, block_type_name: type }: SourceObject): void {
  const fields = hiddenFields(data, '');
  if (fields.length === 0) return;
  target.remark(`The source hides secrets of the block ${type}/${name}. Enter them again: ${fields.join(', ')}.`);
}

/** Dotted paths of the values that the source hides. */
function hiddenFields(value: unknown, path: string): string[] {
  if (value === HIDDEN) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => hiddenFields(member, path ? `${path}.${name}` : name));
}
