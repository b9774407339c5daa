/** The built-in server of a workspace, through which agents use the orchestration of the workspace. */

import type { Hub } from '../../../changes/hub.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx, Store } from '../../../database/store.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { grants } from '../../grants/queries.ts';
import { insertServer, servers } from './queries.ts';

interface Place {
  readonly id: string;
  readonly organization_id: string;
  readonly handle: string;
  readonly name: string;
}

const findWorkspaceWithout = platformStatement<{ key: number }, Place>((query, given) =>
  query
    .selectFrom('workspace')
    .leftJoin('mcp_server', 'mcp_server.workspace_id', 'workspace.id')
    .select(['workspace.id', 'workspace.organization_id', 'workspace.handle', 'workspace.name'])
    .where('workspace.key', '=', given.key)
    .where('mcp_server.id', 'is', null),
);

/** Attempts to find a slug; this many other servers may have taken it before. */
const ATTEMPTS = 20;
const MAX_SLUG = 60;

/**
 * Makes the built-in server of the workspace with this key, unless it has one. Members of the organization can reach
 * it; their role in the workspace decides what they may do there.
 */
export async function ensureBuiltinServer(store: Store, key: number, now: Timestamp): Promise<void> {
  if (!(await store.platform.reads().first(findWorkspaceWithout, { key }))) return;
  await store.platform.transaction(async (tx) => {
    const workspace = await tx.first(findWorkspaceWithout, { key });
    if (workspace) await insertBuiltinServer(tx, workspace, now);
  });
}

async function insertBuiltinServer(tx: PlatformTx, workspace: Place, now: Timestamp): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const added = await tx.first(insertServer, {
      id: newTimeOrderedId(),
      created: now,
      updated: now,
      organization_id: workspace.organization_id,
      slug: slugOf(workspace.handle, attempt),
      name: `Orchestration of ${workspace.name}`.slice(0, 200),
      description: 'Flows, deployments, runs, logs and artifacts of the workspace, for agents.',
      kind: 'builtin',
      visibility: 'discoverable',
      default_role: 'viewer',
      authentication: 'platform',
      denied_as: 'forbidden',
      policy: jsonTextOf([]),
      policy_version: 0,
      connection: jsonTextOf({}),
      encrypted_credential: null,
      connection_version: 1,
      manifest: null,
      manifest_version: 0,
      manifest_read_at: now,
      manifest_error: null,
      manifest_due: null,
      stopped_at: null,
      personal_credential: null,
      encrypted_client_secret: null,
      limits: null,
      approved_tools: null,
      workspace_id: workspace.id,
    });
    if (added) return;
  }
  throw new Error(`Every slug is taken for the built-in server of the workspace "${workspace.handle}".`);
}

function slugOf(handle: string, attempt: number): string {
  const end = attempt === 1 ? '' : `-${attempt}`;
  return `orchestration-${handle}`.slice(0, MAX_SLUG - end.length).replace(/-$/, '') + end;
}

/** Deletes the built-in server of a workspace, in the transaction that deletes the workspace. */
export async function deleteBuiltinServer(tx: PlatformTx, workspaceId: string, hub: Hub): Promise<void> {
  const removed = await servers.remove(tx, { workspace_id: workspaceId });
  if (!removed) return;
  await grants.removeAll(tx, { resource_id: removed.id });
  tx.afterCommit(() => hub.tell('servers', removed.id, 'deleted'));
}
