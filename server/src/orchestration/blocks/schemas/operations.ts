import type { Context } from '../../../context.ts';
import { Forbidden, NotFound } from '../../../errors.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../json.ts';
import { forgetDeletedResultStorage } from '../result-storage.ts';
import { findBlockType } from '../types/queries.ts';
import { deleteBlockSchemaRow, findBlockSchema } from './queries.ts';
import { type BlockSchemaAnswer, readBlockSchema } from './read.ts';
import { registerBlockSchema } from './register.ts';
import type { BlockSchemaCreate } from './schema.ts';

/**
 * Creates a schema, or returns the stored one with the same checksum and version. Throws NotFound for an unknown type,
 * Conflict and Unprocessable for nested blocks; see `registerBlockSchema`.
 */
export function createBlockSchema(
  context: Context,
  input: BlockSchemaCreate,
): Promise<{ schema: BlockSchemaAnswer; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const type = await findBlockType(tx, input.block_type_id);
    if (!type) throw new NotFound(`Block type ${input.block_type_id} not found.`);
    const { schema, isNew } = await registerBlockSchema(context, tx, {
      fields: parseObject(input.fields ?? ('{}' as JsonText)),
      block_type_id: type.id,
      capabilities: jsonTextOf(input.capabilities ?? []),
      version: input.version,
    });
    return { schema: await readBlockSchema(tx, schema), isNew };
  });
}

/** Deletes the schema with its documents. Throws NotFound, and Forbidden for a schema of a protected type. */
export function deleteBlockSchema(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const schema = await findBlockSchema(tx, id);
    if (!schema) throw missingBlockSchema();
    const type = await findBlockType(tx, schema.block_type_id);
    if (type?.is_protected) throw new Forbidden('Block schemas for protected block types cannot be deleted.');
    await deleteBlockSchemaRow(tx, id);
    await forgetDeletedResultStorage(tx);
  });
}

export function missingBlockSchema(): NotFound {
  return new NotFound('Block schema not found');
}
