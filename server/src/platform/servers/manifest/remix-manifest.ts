/** Composes the manifest of a remix from the last known manifests of its sources. */
import { sql } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import type { Manifest } from '../../../mcp/manifest/discovery.ts';
import { composedManifest } from '../../../mcp/remix/composition/composed-manifest.ts';
import { Composition } from '../../../mcp/remix/composition/composition.ts';
import type { Selection } from '../../../mcp/remix/composition/selection.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ServerRow } from '../server/queries.ts';

const findManifest = platformStatement<{ organization_id: string; id: string }, Pick<ServerRow, 'manifest'>>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .select('manifest')
      .where('organization_id', '=', given.organization_id)
      .where('id', '=', given.id),
);

/** Reads one source at a time, because a manifest can be large. */
export async function readComposedManifest(
  db: PlatformDb,
  row: Pick<ServerRow, 'organization_id' | 'name' | 'description'>,
  selection: Selection,
): Promise<Manifest> {
  const manifests = new Map<string, Manifest>();
  for (const { serverId } of selection.sources) {
    const found = await db.first(findManifest, { organization_id: row.organization_id, id: serverId });
    if (found?.manifest) manifests.set(serverId, JSON.parse(found.manifest) as Manifest);
    await nextTurn();
  }
  return composedManifest(new Composition(selection), row, manifests);
}

/** Makes the remixes with this server as a source due, so that they are composed again. */
export const makeRemixesDue = platformStatement<
  { organization_id: string; source_pattern: string; now: Timestamp },
  unknown
>((query, given) =>
  query
    .updateTable('mcp_server')
    .set({ manifest_due: given.now })
    .where('organization_id', '=', given.organization_id)
    .where('kind', '=', 'remix')
    .where(sql<boolean>`connection like ${given.source_pattern}`),
);

export function sourcePattern(id: string): string {
  return `%"${id}"%`;
}
