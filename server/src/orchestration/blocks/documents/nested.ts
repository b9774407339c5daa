/** Documents inside documents: a field may refer to another document, whose data then replaces the reference. */
import type { Db } from '../../../database/store.ts';
import { BadRequest } from '../../../errors.ts';
import { uuidSpelledBy } from '../../../values/id.ts';
import { isJsonObject } from '../../../values/json.ts';
import { AnswerBytes } from '../answer-bytes.ts';
import { listNestedDocuments, type NestedDocumentRow } from './queries.ts';

/** The nested documents in the fields of a document, by the id of the document. */
export type NestedDocuments = ReadonlyMap<string, readonly NestedDocumentRow[]>;

/** All documents nested in these, at any depth. Two queries per level. Throws Unprocessable for too many bytes. */
export async function nestedDocumentsOf(db: Db, ids: readonly string[]): Promise<NestedDocuments> {
  const found = new Map<string, NestedDocumentRow[]>();
  const left = AnswerBytes.toRead();
  let level = [...new Set(ids)];
  while (level.length > 0) {
    for (const id of level) found.set(id, []);
    const rows = await listNestedDocuments(db, level, left);
    for (const row of rows) found.get(row.parent)?.push(row);
    level = [...new Set(rows.map(({ id }) => id))].filter((id) => !found.has(id));
  }
  return found;
}

export interface SeparatedData {
  readonly values: Record<string, unknown>;
  /** The given values of `block_document_id`, by field. */
  readonly references: ReadonlyMap<string, unknown>;
}

/** The ids of documents, by field. */
export type References = ReadonlyMap<string, string>;

/**
 * Splits given data into values and references, `{"$ref": {"block_document_id": …}}` at the top level. Throws
 * BadRequest for a reference without an id.
 */
export function separateReferences(data: Record<string, unknown>): SeparatedData {
  const references = new Map<string, unknown>();
  const values = Object.entries(data).filter(([name, value]) => {
    if (!isJsonObject(value) || !Object.hasOwn(value, '$ref')) return true;
    const reference = value['$ref'];
    const id = isJsonObject(reference) ? (reference['block_document_id'] ?? null) : null;
    if (id === null) throw new BadRequest(`Received block reference without a block_document_id in key ${name}`);
    references.set(name, id);
    return false;
  });
  // The object itself keeps the order of its keys.
  return { values: references.size === 0 ? data : Object.fromEntries(values), references };
}

/**
 * Throws BadRequest for a value that is not an id. Call it after the schema check, because the reference reports that
 * fault first.
 */
export function readReferences({ references }: SeparatedData): References {
  const read = Array.from(references, ([name, id]): [string, string] => {
    const uuid = typeof id === 'string' ? uuidSpelledBy(id) : undefined;
    if (uuid !== undefined) return [name, uuid];
    throw new BadRequest(`Received block reference whose block_document_id is not a UUID in key ${name}`);
  });
  return new Map(read);
}
