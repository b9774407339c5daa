/** Records changes and reads inside a workspace in the audit. */
import type { PlatformTx } from '../../database/store.ts';
import { workspaces } from '../../database/workspaces.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { jsonTextOf } from '../../values/json.ts';
import type { Timestamp } from '../../values/time.ts';
import type { Actor } from '../access/access.ts';
import { auditEntries } from './audit-entries.ts';

/** The actor, and the workspace that it works in. `Context` has it. */
export interface WorkspaceActor {
  readonly workspace: number;
  readonly actor: Actor | undefined;
  readonly now: Timestamp;
  readonly client: { readonly address: string };
}

interface AuditedInWorkspace {
  /** For example `webhook.create`. */
  readonly action: string;
  /** The workspace when omitted. */
  readonly target?: { readonly type: string; readonly id: string; readonly name: string };
  /** Never contains a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes who did what, in the given transaction. If the access mode identifies no actor, it writes nothing. */
export async function recordWorkspaceAudit(
  tx: PlatformTx,
  { workspace: key, actor, client, now }: WorkspaceActor,
  { action, target, details = {} }: AuditedInWorkspace,
): Promise<void> {
  if (!actor) return;
  const workspace = await workspaces.first(tx, { key });
  if (!workspace) return;
  const { id, name } = workspace;
  await auditEntries.insert(tx, {
    id: newTimeOrderedId(),
    organization_id: workspace.organization_id,
    occurred: now,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    address: client.address === '' ? null : client.address,
    action,
    target_type: target?.type ?? 'workspace',
    target_id: target?.id ?? id,
    target_name: target?.name ?? name,
    details: jsonTextOf(target ? { ...details, workspace: id } : details),
  });
}
