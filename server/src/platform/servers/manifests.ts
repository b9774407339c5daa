/** What a server says that it offers: asked for, and written down. */
import type { Server } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { discover, type Manifest } from '../../gateway/discovery.ts';
import { jsonTextOf } from '../../json.ts';
import { type Upstream, UpstreamError } from '../../upstream/upstream.ts';
import type { UpstreamOwner } from '../../upstream/upstreams.ts';
import { noteManifestError, updateManifest } from './manifest-queries.ts';
import type { ServerRow } from './queries.ts';

/** Statements about servers name no workspace; the store's scope is not used. */
const NO_WORKSPACE = 0;

/** Asks the server anew. When it does not answer, what was read before stays, beside the reason. */
export async function refreshManifest(server: Server, row: ServerRow): Promise<ServerRow> {
  const read = await readManifest(server, row);
  return (await server.store.transaction(NO_WORKSPACE, (tx) => storeManifest(server, tx, row.id, read))) ?? row;
}

/** A hosted server that does not run is started. */
export async function readManifest({ upstreams }: Server, owner: UpstreamOwner): Promise<Manifest | UpstreamError> {
  return upstreams
    .upstreamOf(owner)
    .then((upstream: Upstream) => discover(upstream))
    .catch((error: unknown) => {
      if (error instanceof UpstreamError) return error;
      throw error;
    });
}

/** Undefined when the server was deleted meanwhile. */
export function storeManifest(
  { clock, serverChanges }: Server,
  tx: Tx,
  id: string,
  read: Manifest | UpstreamError,
): Promise<ServerRow | undefined> {
  if (read instanceof UpstreamError) return tx.first(noteManifestError, { id, manifest_error: read.message });
  tx.afterCommit(() => serverChanges.publish(id, 'manifest'));
  return tx.first(updateManifest, { id, manifest: jsonTextOf(read), now: clock.now() });
}
