import { keywords } from './keywords.ts';
import { META_SCHEMA_ID, metaSchema } from './meta-schema.ts';
import type { SchemaError } from './schema-error.ts';
import { Walk } from './walk.ts';

/**
 * Every error of `value` under `schema` (draft 2020-12), in the order of the schema's own keywords. Both come from
 * `parseJson`. With `checkFormats`, `format` is a check and not only a description. Throws SchemaFault when the schema
 * cannot be applied. The time is bounded for every schema.
 */
export function schemaErrors(
  value: unknown,
  schema: unknown,
  options: { readonly checkFormats?: boolean } = {},
): SchemaError[] {
  return new Walk(schema, keywords, options.checkFormats ?? false).errors(value, schema);
}

/**
 * The first error of a schema itself; undefined when it is valid. Schemas whose `$schema` is an older draft are not
 * checked.
 */
export function metaSchemaFault(schema: Readonly<Record<string, unknown>>): string | undefined {
  const draft = schema['$schema'];
  if (typeof draft === 'string' && /^https?:\/\/json-schema\.org\//.test(draft) && !draft.startsWith(META_SCHEMA_ID)) {
    return undefined;
  }
  return schemaErrors(schema, metaSchema, { checkFormats: true })[0]?.message;
}
