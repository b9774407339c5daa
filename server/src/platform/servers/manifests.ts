/** What a server says that it offers: asked for, and written down. */
import type { Server } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { discover, type Manifest } from '../../gateway/discovery.ts';
import { jsonTextOf } from '../../json.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../time.ts';
import { type Upstream, UpstreamError } from '../../upstream/upstream.ts';
import type { UpstreamOwner } from '../../upstream/upstreams.ts';
import { noteManifestError, settleManifestDue, updateManifest } from './manifest-queries.ts';
import type { ServerRow } from './queries.ts';

/** Statements about servers name no workspace; the store's scope is not used. */
const NO_WORKSPACE = 0;
/** A server that was asked in vain is asked again after as long as it has been as it is, within these bounds. */
const ASKED_AGAIN_SECONDS = { first: 300, last: 3600 };

/** Asks the server anew. When it does not answer, what was read before stays, beside the reason. */
export async function refreshManifest(server: Server, row: ServerRow): Promise<ServerRow> {
  const read = await readManifest(server, row);
  const now = server.clock.now();
  return (await server.store.transaction(NO_WORKSPACE, (tx) => storeManifest(server, tx, row, read, now))) ?? row;
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

/** `row` is what it was when it was asked. Undefined when the server was deleted meanwhile. */
export async function storeManifest(
  { serverChanges }: Pick<Server, 'serverChanges'>,
  tx: Tx,
  row: ServerRow,
  read: Manifest | UpstreamError,
  now: Timestamp,
): Promise<ServerRow | undefined> {
  const { id, manifest_due: known } = row;
  await tx.run(settleManifestDue, { id, known, due: askedAgainAt(row, read, now) });
  if (read instanceof UpstreamError) return tx.first(noteManifestError, { id, manifest_error: read.message });
  tx.afterCommit(() => serverChanges.publish(id, 'manifest'));
  return tx.first(updateManifest, { id, manifest: jsonTextOf(read), now });
}

/** What failed may be over by then; that nothing is sent to an address is not. */
function askedAgainAt({ updated }: ServerRow, read: Manifest | UpstreamError, now: Timestamp): Timestamp | null {
  if (!(read instanceof UpstreamError) || read.fault === 'refused') return null;
  const { first, last } = ASKED_AGAIN_SECONDS;
  return addSeconds(now, Math.min(Math.max(first, secondsBetween(updated, now)), last));
}
