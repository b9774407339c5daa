/** Which build of a server is live: one, changed in the transaction that records the change. */
import { platformStatement, rowOf } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import { newTimeOrderedId } from '../../../id.ts';
import type { Timestamp } from '../../../time.ts';

export type DeploymentRow = Row<'server_deployment'>;

/**
 * Takes turns with other deployments of the server: on both databases the row is locked until the transaction ends. Other
 * code may offer other capabilities.
 */
const lockServer = platformStatement<{ id: string; now: Timestamp }, unknown>((query, given) =>
  query.updateTable('mcp_server').set({ updated: given.now, manifest_due: given.now }).where('id', '=', given.id),
);

const findLive = platformStatement<{ server_id: string }, DeploymentRow>((query, given) =>
  query
    .selectFrom('server_deployment')
    .selectAll()
    .where('server_id', '=', given.server_id)
    .where('status', '=', 'live'),
);

const supersedeLive = platformStatement<{ server_id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('server_deployment')
    .set({ status: 'superseded', ended: given.now })
    .where('server_id', '=', given.server_id)
    .where('status', '=', 'live'),
);

const insertDeployment = platformStatement<DeploymentRow, unknown>((query, given) =>
  query.insertInto('server_deployment').values(rowOf('server_deployment', given)),
);

export interface Promotion {
  readonly serverId: string;
  readonly buildId: string;
  readonly actorName: string;
  readonly now: Timestamp;
}

/** Puts a succeeded build live in place of what is. Undefined when it is live already. */
export async function promote(
  tx: PlatformTx,
  { serverId, buildId, actorName, now }: Promotion,
): Promise<DeploymentRow | undefined> {
  await tx.run(lockServer, { id: serverId, now });
  const live = await tx.first(findLive, { server_id: serverId });
  if (live?.build_id === buildId) return undefined;
  await tx.run(supersedeLive, { server_id: serverId, now });
  const row: DeploymentRow = {
    id: newTimeOrderedId(),
    created: now,
    server_id: serverId,
    build_id: buildId,
    actor_name: actorName,
    status: 'live',
    ended: null,
  };
  await tx.run(insertDeployment, row);
  return row;
}
