/**
 * The policy that the sample puts on the built-in server of its workspace: viewers and editors may use everything but
 * the tool that cancels runs. The mark in the workspace names the version of the policy, so rules of others stay.
 */
import type { OrganizationContext } from '../../context/platform-context.ts';
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import type { Tx } from '../../database/store.ts';
import { workspaces } from '../../database/workspaces.ts';
import { found } from '../../errors.ts';
import { RULE_ROLES } from '../../mcp/gateway/decide/policy.ts';
import { CAPABILITY_KINDS } from '../../mcp/protocol/methods.ts';
import { jsonTextOf } from '../../values/json.ts';
import { putPolicy } from '../servers/registration/operations.ts';
import { MISSING, serverFor } from '../servers/server/access.ts';
import { lockServer, type ServerRow, servers } from '../servers/server/queries.ts';
import type { WorkspaceRow } from '../workspaces/queries.ts';

interface Mark {
  readonly serverId: string;
  readonly version: number;
}

const KEY = 'sample-policy';
const HELD_BACK = 'cancel_flow_run';

const rules = RULE_ROLES.flatMap((role) => [
  ...CAPABILITY_KINDS.map((capability) => ({
    role,
    actorId: null,
    capability,
    pattern: '*',
    effect: 'allow' as const,
  })),
  { role, actorId: null, capability: 'tool' as const, pattern: HELD_BACK, effect: 'deny' as const },
]);

export async function hasSamplePolicy({ server, db }: OrganizationContext, row: ServerRow): Promise<boolean> {
  const workspace = row.workspace_id === null ? undefined : await workspaces.first(db, { id: row.workspace_id });
  const mark = workspace && markIn(await findConfiguration(server.store.reads(workspace.key), KEY));
  return mark?.serverId === row.id && mark.version === row.policy_version;
}

/** Does nothing where the server has rules already. For administrators of the server. */
export async function loadSamplePolicy(context: OrganizationContext, workspace: WorkspaceRow): Promise<void> {
  const { id } = await builtinFor(context, workspace);
  await changing(context, workspace, async (inTx, tx) => {
    const row = found(await tx.first(lockServer, { id }), MISSING);
    if (row.policy !== '[]') return;
    const { version } = await putPolicy(inTx, row, { rules });
    await putConfiguration(tx, KEY, jsonTextOf({ serverId: id, version } satisfies Mark));
  });
}

/** Removes the rules unless somebody has stored others since: those stay. */
export async function removeSamplePolicy(context: OrganizationContext, workspace: WorkspaceRow): Promise<void> {
  const { id } = await builtinFor(context, workspace);
  await changing(context, workspace, async (inTx, tx) => {
    const mark = markIn(await findConfiguration(tx, KEY));
    const row = found(await tx.first(lockServer, { id }), MISSING);
    if (mark?.serverId === id && mark.version === row.policy_version) await putPolicy(inTx, row, { rules: [] });
    await deleteConfiguration(tx, KEY);
  });
}

async function builtinFor(context: OrganizationContext, workspace: WorkspaceRow): Promise<ServerRow> {
  const row = found(await servers.first(context.db, { workspace_id: workspace.id }), MISSING);
  return serverFor(context, row.id, 'admin');
}

/** The mark of the workspace and the policy of the server change together. */
function changing(
  context: OrganizationContext,
  { key }: WorkspaceRow,
  work: (inTx: OrganizationContext, tx: Tx) => Promise<void>,
): Promise<void> {
  return context.server.store.transaction(key, (tx) => work({ ...context, transaction: (inner) => inner(tx) }, tx));
}

function markIn(stored: string | undefined): Mark | undefined {
  return stored === undefined ? undefined : (JSON.parse(stored) as Mark);
}
