/** Stores which build of a server is live: one, changed in the transaction that records the change. */
import { rows } from '../../../database/rows.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';

export type DeploymentRow = Row<'server_deployment'>;

export const serverDeployments = rows('server_deployment');
const servers = rows('mcp_server');

interface Promotion {
  readonly serverId: string;
  readonly buildId: string;
  readonly actorName: string;
  readonly now: Timestamp;
}

/** Makes a succeeded build live. Undefined when it is already live. */
export async function promote(
  tx: PlatformTx,
  { serverId, buildId, actorName, now }: Promotion,
): Promise<DeploymentRow | undefined> {
  // The row is locked on both databases until the transaction ends, so that deployments of the server take turns. Other
  // code may offer other capabilities.
  await servers.changeAll(tx, { id: serverId }, { updated: now, manifest_due: now });
  const isLive = { server_id: serverId, status: 'live' };
  if ((await serverDeployments.first(tx, isLive))?.build_id === buildId) return undefined;
  await serverDeployments.changeAll(tx, isLive, { status: 'superseded', ended: now });
  return serverDeployments.insert(tx, {
    id: newTimeOrderedId(),
    created: now,
    server_id: serverId,
    build_id: buildId,
    actor_name: actorName,
    status: 'live',
    ended: null,
  });
}
