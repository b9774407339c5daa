/** Removes the secrets from block documents, whatever the source reveals. */

import { HIDDEN, hideSecrets, secretPathsOf } from '../../../orchestration/blocks/documents/secret-fields.ts';
import { isJsonObject, jsonTextOf } from '../../../values/json.ts';
import type { SourceObject } from './source.ts';

/**
 * Hides the fields that the document's schema marks as secret, texts and objects. The values of nested documents are
 * omitted: these are exported separately, and their own schemas mark their secrets. If the source does not give the
 * schema, all values are hidden.
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
