import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { Conflict, Forbidden, found } from '../../../errors.ts';
import { type Change, recordChange } from '../../../events/record-change.ts';
import { newId } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { forgetDeletedResultStorage } from '../result-storage.ts';
import { type BlockTypeRow, blockTypes } from './queries.ts';
import type { BlockTypeCreate, BlockTypeUpdate } from './schema.ts';

export const MISSING = 'Block type not found';

/** Throws Forbidden for a reserved name, Conflict when the slug is taken. Names need not be unique. */
export function createBlockType(context: Context, input: BlockTypeCreate): Promise<BlockTypeRow> {
  if (/^prefect/i.test(input.name)) {
    throw new Forbidden("Block type names beginning with 'Prefect' are reserved.");
  }
  return context.transaction(async (tx) => {
    const type = await blockTypes.insertUnlessThere(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name,
      slug: input.slug,
      logo_url: input.logo_url?.trim() ?? null,
      documentation_url: input.documentation_url?.trim() ?? null,
      description: escaped(input.description),
      code_example: escaped(input.code_example),
      is_protected: false,
    });
    if (!type) throw new Conflict(`Block type with name "${input.name}" already exists`);
    await record(context, tx, 'created', type);
    return type;
  });
}

/** Changes the given fields, also of protected types. Throws NotFound. */
export function updateBlockType(context: Context, id: string, input: BlockTypeUpdate): Promise<void> {
  return context.transaction(async (tx) => {
    if (isWhollyEqual(input, found(await blockTypes.first(tx, { id }), MISSING))) return;
    const change = { ...withTrimmedAddresses(input), updated: context.now };
    await record(context, tx, 'updated', found(await blockTypes.change(tx, { id }, change), MISSING));
  });
}

/**
 * True when every changeable field is given with its stored value. The update then changes nothing, while an update
 * with only some fields counts as a change. Source: `PATCH /block_types/{id}` of the Prefect server 3.9.1.
 */
function isWhollyEqual(input: BlockTypeUpdate, stored: BlockTypeRow): boolean {
  const fields = ['logo_url', 'documentation_url', 'description', 'code_example'] as const;
  return fields.every((field) => input[field] === stored[field]);
}

function withTrimmedAddresses(input: BlockTypeUpdate): BlockTypeUpdate {
  const { logo_url, documentation_url } = input;
  return {
    ...input,
    ...(logo_url ? { logo_url: logo_url.trim() } : {}),
    ...(documentation_url ? { documentation_url: documentation_url.trim() } : {}),
  };
}

/** Deletes the type with its schemas and documents. Throws NotFound, and Forbidden for a protected one. */
export function deleteBlockType(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const type = found(await blockTypes.first(tx, { id }), MISSING);
    if (type.is_protected) throw new Forbidden('protected block types cannot be deleted.');
    await blockTypes.removeAll(tx, { id });
    await forgetDeletedResultStorage(tx);
    await record(context, tx, 'deleted', type);
  });
}

/** The reference escapes the texts of a new type, but not those of a changed one; clients compare them. */
function escaped(text: string | null | undefined): string | null {
  return text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') ?? null;
}

function record(context: Context, tx: Tx, change: Change, type: BlockTypeRow): Promise<void> {
  const { name, slug, logo_url, documentation_url, description, code_example, is_protected } = type;
  const payload = { name, slug, logo_url, documentation_url, description, code_example, is_protected };
  return recordChange(context, tx, 'block-type', change, type, jsonTextOf(payload));
}
