import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { BadRequest, Conflict, found, IntegrityConflict } from '../../../errors.ts';
import { type Change, recordChange, relatedResource } from '../../../events/record-change.ts';
import { newId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf, parseJson, parseObject } from '../../../values/json.ts';
import { requireDocuments } from '../../lookups/block-documents.ts';
import { forgetDeletedResultStorage } from '../result-storage.ts';
import { MISSING as MISSING_SCHEMA } from '../schemas/operations.ts';
import { blockSchemas } from '../schemas/queries.ts';
import { blockTypes } from '../types/queries.ts';
import {
  nestedDocumentsOf,
  type References,
  readReferences,
  type SeparatedData,
  separateReferences,
} from './nested.ts';
import { type BlockDocumentRow, blockDocuments, replaceReferences } from './queries.ts';
import { type BlockDocumentAnswer, readBlockDocument } from './read.ts';
import type { BlockDocumentCreate, BlockDocumentUpdate } from './schema.ts';
import { HIDDEN, restoreSecrets, secretPathsOf } from './secret-fields.ts';

export const MISSING = 'Block document not found';

/**
 * Throws NotFound for an unknown type, IntegrityConflict for an unknown schema or nested document, BadRequest for an
 * unreadable reference, Conflict when the type has a document of this name.
 */
export function createBlockDocument(context: Context, input: BlockDocumentCreate): Promise<BlockDocumentAnswer> {
  const separated = separateReferences(parseObject(input.data ?? ('{}' as JsonText)));
  return context.transaction(async (tx) => {
    const { block_type_id, block_schema_id } = input;
    found(await blockTypes.first(tx, { id: block_type_id }), `Block type ${block_type_id} not found.`);
    if (!(await blockSchemas.first(tx, { id: block_schema_id }))) throw new IntegrityConflict();
    const references = readReferences(separated);
    await requireDocuments(tx, [...references.values()]);
    const row = await blockDocuments.insertUnlessThere(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name || `anonymous-${newId()}`,
      encrypted_data: context.server.encryption.encrypt(jsonTextOf(separated.values)),
      is_anonymous: input.is_anonymous,
      block_type_id,
      block_schema_id,
    });
    if (!row) throw new Conflict('Block already exists');
    await replaceReferences(tx, row.id, references);
    return recordDocumentEvent(context, tx, 'created', row);
  });
}

/** Replaces the data when a replacement gives none. */
const NO_DATA = '{}' as JsonText;

/**
 * Changes the data, the schema, or both. By default the given data is merged with the stored data, field by field of
 * the top level; without data to merge, neither data nor schema changes. A secret that is sent back hidden keeps its
 * value. Throws NotFound, BadRequest for a schema of another type, an unreadable reference or a cycle,
 * IntegrityConflict for an unknown nested document.
 */
export function updateBlockDocument(context: Context, id: string, input: BlockDocumentUpdate): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.lock('block_document', id);
    const row = found(await blockDocuments.first(tx, { id }), MISSING);
    const given = input.data ?? (input.merge_existing_data === false ? NO_DATA : undefined);
    const separated = given && separateReferences(parseObject(given));
    const block_schema_id = given ? await chosenSchema(tx, row, input.block_schema_id ?? null) : row.block_schema_id;
    const data = separated && (await changedData(context, tx, row, separated, input));
    const change = {
      block_schema_id,
      updated: data ? context.now : row.updated,
      encrypted_data: data && context.server.encryption.encrypt(jsonTextOf(data.values)),
    };
    const updated = found(await blockDocuments.change(tx, { id }, change), MISSING);
    if (data) await replaceReferences(tx, id, data.references);
    await recordDocumentEvent(context, tx, 'updated', updated);
  });
}

/** Throws NotFound. Documents that contain this one lose it. */
export function deleteBlockDocument(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const row = found(await blockDocuments.first(tx, { id }), MISSING);
    await recordDocumentEvent(context, tx, 'deleted', row);
    await blockDocuments.removeAll(tx, { id });
    await forgetDeletedResultStorage(tx);
  });
}

async function chosenSchema(tx: Tx, row: BlockDocumentRow, id: string | null): Promise<string> {
  if (id === null || id === row.block_schema_id) return row.block_schema_id;
  const schema = found(await blockSchemas.first(tx, { id }), MISSING_SCHEMA);
  if (schema.block_type_id !== row.block_type_id) {
    throw new BadRequest('Must migrate block document to a block schema of the same block type.');
  }
  return id;
}

async function changedData(
  context: Context,
  tx: Tx,
  row: BlockDocumentRow,
  separated: SeparatedData,
  { merge_existing_data: merge = true }: BlockDocumentUpdate,
): Promise<{ values: Record<string, unknown>; references: References }> {
  const references = readReferences(separated);
  await requireDocuments(tx, [...references.values()]);
  await refuseCycles(tx, row.id, references);
  const schema = await blockSchemas.first(tx, { id: row.block_schema_id });
  const shown = parseObject((await readBlockDocument(context, tx, row, true)).data);
  const restored = restoreSecrets(separated.values, shown, schema ? secretPathsOf(schema.fields) : []);
  if (!merge) return { values: restored, references };
  const stored = parseObject(context.server.encryption.decrypt(row.encrypted_data) as JsonText);
  const kept = Object.entries(stored).filter(([name]) => !references.has(name));
  return { values: { ...Object.fromEntries(kept), ...restored }, references };
}

async function refuseCycles(tx: Tx, parent: string, references: References): Promise<void> {
  for (const reference of references.values()) {
    if (reference === parent || (await nestedDocumentsOf(tx, [reference])).has(parent)) {
      throw new BadRequest(
        `Cannot create block document reference: it would introduce a cycle into the block_document_reference graph (parent=${parent}, reference=${reference}).`,
      );
    }
  }
}

/** Anonymous documents have no events. An event contains only those texts of the data that are not secret. */
async function recordDocumentEvent(
  context: Context,
  tx: Tx,
  change: Change,
  row: BlockDocumentRow,
): Promise<BlockDocumentAnswer> {
  const document = await readBlockDocument(context, tx, row, false);
  if (row.is_anonymous) return document;
  const { block_type: type, block_schema: schema } = document;
  const texts = Object.entries(parseObject(document.data)).filter(
    ([, value]) => typeof value === 'string' && value !== HIDDEN,
  );
  const { block_type_id, block_schema_id, name } = row;
  const payload = jsonTextOf({
    name,
    data: Object.fromEntries(texts),
    block_schema: {
      capabilities: schema ? parseJson(schema.capabilities) : [],
      block_type: { id: block_type_id, name: type?.name ?? '' },
    },
  });
  await recordChange(context, tx, 'block-document', change, row, payload, [
    { ...relatedResource('block-type', block_type_id), 'prefect.resource.name': type?.name ?? '' },
    relatedResource('block-schema', block_schema_id),
  ]);
  return document;
}
