import type { Context } from '../../../context/context.ts';
import { Forbidden, found } from '../../../errors.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { forgetDeletedResultStorage } from '../result-storage.ts';
import { blockTypes } from '../types/queries.ts';
import { blockSchemas } from './queries.ts';
import { type BlockSchemaAnswer, readBlockSchema } from './read.ts';
import { registerBlockSchema } from './register.ts';
import type { BlockSchemaCreate } from './schema.ts';

export const MISSING = 'Block schema not found';

/**
 * Creates a schema, or returns the stored one with the same checksum and version. Throws NotFound for an unknown type,
 * Conflict and Unprocessable for nested blocks; see `registerBlockSchema`.
 */
export function createBlockSchema(
  context: Context,
  input: BlockSchemaCreate,
): Promise<{ schema: BlockSchemaAnswer; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const { block_type_id } = input;
    found(await blockTypes.first(tx, { id: block_type_id }), `Block type ${block_type_id} not found.`);
    const { schema, isNew } = await registerBlockSchema(context, tx, {
      fields: parseObject(input.fields ?? ('{}' as JsonText)),
      block_type_id,
      capabilities: jsonTextOf(input.capabilities ?? []),
      version: input.version,
    });
    return { schema: await readBlockSchema(tx, schema), isNew };
  });
}

/** Deletes the schema with its documents. Throws NotFound, and Forbidden for a schema of a protected type. */
export function deleteBlockSchema(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const schema = found(await blockSchemas.first(tx, { id }), MISSING);
    const type = await blockTypes.first(tx, { id: schema.block_type_id });
    if (type?.is_protected) throw new Forbidden('Block schemas for protected block types cannot be deleted.');
    await blockSchemas.removeAll(tx, { id });
    await forgetDeletedResultStorage(tx);
  });
}
