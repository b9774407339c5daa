/** Block documents as answers show them: decrypted, with nested documents in place and secrets hidden. */

import type { Context } from '../../../context/context.ts';
import type { Db } from '../../../database/store.ts';
import { Unprocessable } from '../../../errors.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import { checkSecretRead, noteSecretRead } from '../../../identity/audit/secret-reads.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { wireTimestamp } from '../../../values/time.ts';
import { AnswerBytes, bytesOfRow } from '../answer-bytes.ts';
import { type BlockSchemaRow, findBlockSchemas } from '../schemas/queries.ts';
import { type BlockSchemaAnswer, readBlockSchemas } from '../schemas/read.ts';
import { type BlockTypeRow, findBlockTypes } from '../types/queries.ts';
import { type NestedDocuments, nestedDocumentsOf } from './nested.ts';
import type { BlockDocumentRow } from './queries.ts';
import { hideSecrets, secretPathsOf } from './secret-fields.ts';

export interface BlockDocumentAnswer extends Omit<BlockDocumentRow, 'workspace' | 'encrypted_data'> {
  readonly data: JsonText;
  readonly block_schema: BlockSchemaAnswer | null;
  readonly block_type: BlockTypeRow | null;
  readonly block_type_name: string | null;
  readonly block_document_references: JsonText;
}

/** Documents that refer to each other several times could otherwise multiply without limit. */
const MAX_NESTED_DOCUMENTS = 5000;
/** After a document of this length, other requests get a turn. */
const LARGE_LENGTH = 64 * 1024;

/** In the order of `rows`. Throws Unprocessable when they, together with nested ones, exceed the limit of an answer. */
export async function readBlockDocuments(
  context: Context,
  db: Db,
  rows: readonly BlockDocumentRow[],
  includeSecrets: boolean,
): Promise<BlockDocumentAnswer[]> {
  return (await read(context, db, rows, includeSecrets)).documents;
}

/** `ids` names every document whose values are in the answer, including nested ones. */
async function read(
  context: Context,
  db: Db,
  rows: readonly BlockDocumentRow[],
  includeSecrets: boolean,
): Promise<{ readonly documents: BlockDocumentAnswer[]; readonly ids: readonly string[] }> {
  const nested = await nestedDocumentsOf(
    db,
    rows.map(({ id }) => id),
  );
  const all = [...rows, ...[...nested.values()].flat()];
  const types = await findBlockTypes(db, [...new Set(all.map((row) => row.block_type_id))]);
  const schemas = await findBlockSchemas(db, [...new Set(all.map((row) => row.block_schema_id))]);
  const ownSchemas = new Set(rows.map((row) => row.block_schema_id));
  const answers = await readBlockSchemas(
    db,
    schemas.filter(({ id }) => ownSchemas.has(id)),
  );
  const answerOf = new Map(answers.map((schema) => [schema.id, schema]));
  const reader = new Reader(context, nested, types, schemas, includeSecrets);
  const documents: BlockDocumentAnswer[] = [];
  for (const { encrypted_data, ...row } of rows) {
    const type = types.get(row.block_type_id) ?? null;
    reader.begin();
    const block_schema = answerOf.get(row.block_schema_id) ?? null;
    reader.answer.take(bytesOfRow(type) + bytesOfRow(block_schema) + bytesOfRow(block_schema?.block_type));
    documents.push({
      ...row,
      data: jsonTextOf(reader.data({ ...row, encrypted_data })),
      block_schema,
      block_type: type,
      block_type_name: type?.name ?? null,
      block_document_references: jsonTextOf(reader.references(row.id)),
    });
    if (encrypted_data.length > LARGE_LENGTH) await nextTurn();
  }
  return { documents, ids: reader.ids() };
}

export async function readBlockDocument(
  context: Context,
  db: Db,
  row: BlockDocumentRow,
  includeSecrets: boolean,
): Promise<BlockDocumentAnswer> {
  const [document] = await readBlockDocuments(context, db, [row], includeSecrets);
  if (!document) throw new Error('Reading one block document gave none.');
  return document;
}

/**
 * The documents for a caller. Secrets go only to callers who may read them (403 otherwise), and the audit names each
 * document that was read, including nested ones.
 */
export async function readForCaller(
  context: Context,
  rows: readonly BlockDocumentRow[],
  includeSecrets: boolean,
): Promise<BlockDocumentAnswer[]> {
  if (!includeSecrets) return readBlockDocuments(context, context.db, rows, false);
  checkSecretRead(context);
  const { documents, ids } = await read(context, context.db, rows, true);
  await noteSecretRead(context, ids);
  return documents;
}

class Reader {
  readonly answer = AnswerBytes.toSend();
  readonly #context: Context;
  readonly #nested: NestedDocuments;
  readonly #types: ReadonlyMap<string, BlockTypeRow>;
  readonly #secretPaths: ReadonlyMap<string, ReturnType<typeof secretPathsOf>>;
  readonly #decrypted = new Map<string, Record<string, unknown>>();
  #expanded = 0;

  constructor(
    context: Context,
    nested: NestedDocuments,
    types: ReadonlyMap<string, BlockTypeRow>,
    schemas: readonly BlockSchemaRow[],
    includeSecrets: boolean,
  ) {
    this.#context = context;
    this.#nested = nested;
    this.#types = types;
    this.#secretPaths = new Map(includeSecrets ? [] : schemas.map(({ id, fields }) => [id, secretPathsOf(fields)]));
  }

  /** The documents that were read so far. */
  ids(): readonly string[] {
    return [...this.#decrypted.keys()];
  }

  /** Restarts the count of nested documents. */
  begin(): void {
    this.#expanded = 0;
  }

  data(row: BlockDocumentRow, above: readonly string[] = []): Record<string, unknown> {
    const inside = [...above, row.id];
    this.answer.take(row.encrypted_data.length);
    const own = this.#decrypt(row);
    const nested = this.#within(row.id, inside).map((child) => [child.reference_name, this.data(child, inside)]);
    const data = nested.length === 0 ? own : { ...own, ...Object.fromEntries(nested) };
    return hideSecrets(data, this.#secretPaths.get(row.block_schema_id) ?? []);
  }

  references(id: string, above: readonly string[] = []): Record<string, unknown> {
    const inside = [...above, id];
    const nested = this.#within(id, inside).map((child) => {
      const type = this.#types.get(child.block_type_id);
      this.answer.take(bytesOfRow(type));
      const block_document = {
        id: child.id,
        name: child.name,
        block_type: typeOnTheWire(type),
        is_anonymous: child.is_anonymous,
        block_document_references: this.references(child.id, inside),
      };
      return [child.reference_name, { block_document }];
    });
    return Object.fromEntries(nested);
  }

  /** Omits a document where it is nested in itself. Two changes at the same moment could cause that. */
  #within(id: string, inside: readonly string[]) {
    const nested = (this.#nested.get(id) ?? []).filter((child) => !inside.includes(child.id));
    this.#expanded += nested.length;
    if (this.#expanded > MAX_NESTED_DOCUMENTS) {
      throw new Unprocessable('The block document contains too many nested block documents.');
    }
    return nested;
  }

  #decrypt(row: BlockDocumentRow): Record<string, unknown> {
    const known = this.#decrypted.get(row.id);
    if (known) return known;
    const data = parseObject(this.#context.server.encryption.decrypt(row.encrypted_data) as JsonText);
    this.#decrypted.set(row.id, data);
    return data;
  }
}

function typeOnTheWire(type: BlockTypeRow | undefined): object | null {
  if (!type) return null;
  const { workspace: _, ...rest } = type;
  return { ...rest, created: wireTimestamp(type.created), updated: wireTimestamp(type.updated) };
}
