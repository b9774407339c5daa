import { keywords } from './keywords.ts';
import { META_SCHEMA_ID, metaSchema } from './meta-schema.ts';
import type { SchemaError } from './schema-error.ts';
import { Walk } from './walk.ts';

/**
 * Every error of `value` under `schema` (draft 2020-12), in the order in which the schema's own keywords
 * stand. Both are as `parseJson` gave them. `checkFormats`: `format` refuses too, it only describes otherwise. Throws
 * SchemaFault when the schema cannot be applied. The time is bounded for every schema.
 */
export function schemaErrors(
  value: unknown,
  schema: unknown,
  options: { readonly checkFormats?: boolean } = {},
): SchemaError[] {
  return new Walk(schema, keywords, options.checkFormats ?? false).errors(value, schema);
}

/**
 * The first error of a schema itself, undefined when it is valid. Schemas that say by `$schema` that they
 * are of an older draft are taken as they are.
 */
export function metaSchemaFault(schema: Readonly<Record<string, unknown>>): string | undefined {
  const draft = schema['$schema'];
  if (typeof draft === 'string' && /^https?:\/\/json-schema\.org\//.test(draft) && !draft.startsWith(META_SCHEMA_ID)) {
    return undefined;
  }
  return schemaErrors(schema, metaSchema, { checkFormats: true })[0]?.message;
}
