/** Block documents without their secrets, whatever the source shows of them. */

import { HIDDEN, hideSecrets, secretPathsOf } from '../../../orchestration/blocks/documents/secret-fields.ts';
import { isJsonObject, jsonTextOf } from '../../../values/json.ts';
import type { SourceObject } from './source.ts';

/**
 * What the schema of a document calls secret is hidden, be it a text or an object. The values of other documents in it are left
 * out: those are exported by themselves, and their secrets are named by schemas of their own. Where the source does not tell
 * the schema, all values are hidden.
 */
export function withoutSecrets(document: SourceObject): SourceObject {
  const { data, block_schema: schema, block_document_references: nested } = document;
  if (!isJsonObject(data)) return document;
  const others = new Set(Object.keys(isJsonObject(nested) ? nested : {}));
  const own = Object.fromEntries(Object.entries(data).filter(([field]) => !others.has(field)));
  const fields = isJsonObject(schema) ? schema['fields'] : undefined;
  const hidden = isJsonObject(fields)
    ? hideSecrets(own, secretPathsOf(jsonTextOf(fields)))
    : Object.fromEntries(Object.keys(own).map((field) => [field, HIDDEN]));
  return { ...document, data: hidden };
}
