import type { Context } from '../../../context.ts';
import type { Tx } from '../../../database/store.ts';
import { Conflict, Forbidden, NotFound } from '../../../errors.ts';
import { recordEvent } from '../../../events/record.ts';
import { newId, newTimeOrderedId } from '../../../id.ts';
import { jsonTextOf } from '../../../json.ts';
import { forgetDeletedResultStorage } from '../result-storage.ts';
import {
  type BlockTypeRow,
  deleteBlockTypeRow,
  findBlockType,
  insertBlockTypeIfAbsent,
  updateBlockTypeRow,
} from './queries.ts';
import type { BlockTypeCreate, BlockTypeUpdate } from './schema.ts';

/** Throws Forbidden for a reserved name, Conflict when the slug is taken. Names need not be unique. */
export function createBlockType(context: Context, input: BlockTypeCreate): Promise<BlockTypeRow> {
  if (/^prefect/i.test(input.name)) {
    throw new Forbidden("Block type names beginning with 'Prefect' are reserved.");
  }
  return context.transaction(async (tx) => {
    const type = await insertBlockTypeIfAbsent(tx, {
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
    await recordTypeEvent(context, tx, 'created', type);
    return type;
  });
}

/** Changes what is given, of protected types too. Throws NotFound. */
export function updateBlockType(context: Context, id: string, input: BlockTypeUpdate): Promise<void> {
  return context.transaction(async (tx) => {
    const stored = await findBlockType(tx, id);
    if (!stored) throw missingBlockType();
    if (isWhollyEqual(input, stored)) return;
    const type = await updateBlockTypeRow(tx, id, { ...withTrimmedAddresses(input), updated: context.now });
    if (!type) throw missingBlockType();
    await recordTypeEvent(context, tx, 'updated', type);
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
    const type = await findBlockType(tx, id);
    if (!type) throw missingBlockType();
    if (type.is_protected) throw new Forbidden('protected block types cannot be deleted.');
    await deleteBlockTypeRow(tx, id);
    await forgetDeletedResultStorage(tx);
    await recordTypeEvent(context, tx, 'deleted', type);
  });
}

export function missingBlockType(): NotFound {
  return new NotFound('Block type not found');
}

/** The reference escapes the texts of a new type, but not those of a changed one; clients compare them. */
function escaped(text: string | null | undefined): string | null {
  return text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') ?? null;
}

async function recordTypeEvent(
  context: Context,
  tx: Tx,
  change: 'created' | 'updated' | 'deleted',
  { id, name, slug, logo_url, documentation_url, description, code_example, is_protected }: BlockTypeRow,
): Promise<void> {
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `prefect.block-type.${change}`,
    resource: { 'prefect.resource.id': `prefect.block-type.${id}`, 'prefect.resource.name': name },
    related: [],
    payload: jsonTextOf({ name, slug, logo_url, documentation_url, description, code_example, is_protected }),
    follows: null,
  });
}
