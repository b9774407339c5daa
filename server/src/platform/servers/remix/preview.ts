/** Shows the manifest of a remix before it is stored. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import type { Manifest } from '../../../mcp/manifest/discovery.ts';
import { Composition } from '../../../mcp/remix/composition/composition.ts';
import { CHOSEN_LISTS, conflictsIn } from '../../../mcp/remix/composition/selection.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { ServerRow } from '../server/queries.ts';
import { type RemixPreview, type RemixWrite, selectionIn } from '../server/remix-schema.ts';
import { checkedSelection, conflictText } from './selection.ts';

/** `row` is the remix that would change. Throws ValidationFailed. */
export async function previewRemix(
  context: OrganizationContext,
  given: RemixWrite,
  row: ServerRow | undefined,
): Promise<RemixPreview> {
  const { selection, rows } = await checkedSelection(context, given, row && selectionIn(row));
  const composition = new Composition(selection);
  const found: RemixPreview['capabilities'][number][] = [];
  for (const { key, serverId, ...lists } of selection.sources) {
    const stored = rows.get(serverId)?.manifest;
    const manifest = stored ? (JSON.parse(stored) as Manifest) : undefined;
    for (const list of CHOSEN_LISTS) {
      const items = (manifest?.[list] ?? []).flatMap((given) => {
        const { leftOut } = composition.referringItem(key, given);
        return composition.itemsOf(key, list, given).map((item) => ({ item, leftOut: [...leftOut] }));
      });
      const byName = new Map(items.map((one) => [composition.nameOf(list, one.item), one]));
      for (const { name, as } of lists[list]) {
        const { item, leftOut = [] } = byName.get(as) ?? {};
        found.push({ list, server: serverId, name, as, item: item ? jsonTextOf(item) : null, leftOut });
      }
    }
    await nextTurn();
  }
  return {
    capabilities: CHOSEN_LISTS.flatMap((list) => found.filter((one) => one.list === list)),
    conflicts: conflictsIn(selection).map((conflict) => ({
      ...conflict,
      servers: [...conflict.servers],
      message: conflictText(conflict, rows),
    })),
  };
}
