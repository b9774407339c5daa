/** The block types that are always there: clients rely on them without registering them first. */
import type { Context } from '../../context.ts';
import { newId } from '../../id.ts';
import { jsonTextOf } from '../../json.ts';
import { registerBlockSchema } from '../block-schemas/register.ts';
import { findBlockTypeBySlug, insertBlockTypeIfAbsent, updateBlockTypeRow } from './queries.ts';
import systemBlockTypes from './system-block-types.json' with { type: 'json' };

/** Adds what is missing and protects what clients registered on their own; changes nothing else, so it can be repeated. */
export function installSystemBlockTypes(context: Context): Promise<void> {
  return context.transaction(async (tx) => {
    const stamps = { created: context.now, updated: context.now };
    for (const { schema, ...type } of systemBlockTypes) {
      const inserted = await insertBlockTypeIfAbsent(tx, { id: newId(), ...stamps, ...type, is_protected: true });
      const stored = inserted ?? (await findBlockTypeBySlug(tx, type.slug));
      if (!stored) throw new Error('A block type vanished while the system block types were installed.');
      if (!stored.is_protected) {
        await updateBlockTypeRow(tx, stored.id, { is_protected: true, updated: context.now });
      }
      await registerBlockSchema(context, tx, {
        fields: schema.fields,
        block_type_id: stored.id,
        capabilities: jsonTextOf(schema.capabilities),
        version: schema.version,
      });
    }
  });
}
