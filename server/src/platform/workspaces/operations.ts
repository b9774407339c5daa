import { NamedConflict } from '../../errors.ts';
import { newTimeOrderedId } from '../../id.ts';
import type { OrganizationChange, OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { deleteGrantsOfResource } from '../grants/queries.ts';
import { deleteBuiltinServer } from '../servers/builtin-server.ts';
import {
  findWorkspaceByHandle,
  insertWorkspace,
  removeWorkspace,
  updateWorkspace,
  type WorkspaceRow,
  workspaceOf,
} from './queries.ts';
import type { Workspace, WorkspaceCreate, WorkspaceUpdate } from './schema.ts';

/** When two requests take the same key at the same moment, one of them tries again. */
const ATTEMPTS = 5;

/** 409 `handle_taken`. The workspace is ready for clients when this resolves. */
export async function createWorkspace(context: OrganizationChange, given: WorkspaceCreate): Promise<Workspace> {
  const { organization, now, server } = context;
  const fields = {
    id: newTimeOrderedId(),
    organization_id: organization.id,
    name: given.name,
    handle: given.handle,
    description: given.description,
    default_role: given.defaultRole,
  };
  const key = await context.transaction(async (tx) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const place = { organization_id: organization.id, handle: given.handle };
      if (await tx.first(findWorkspaceByHandle, place)) throw handleTaken(given.handle);
      const row = await tx.first(insertWorkspace, { ...fields, now });
      if (!row) continue;
      await recordAudit(context, tx, {
        organizationId: organization.id,
        action: 'workspace.create',
        target: { type: 'workspace', id: fields.id, name: given.name },
        details: { handle: given.handle, defaultRole: given.defaultRole },
      });
      return row.key;
    }
    throw handleTaken(given.handle);
  });
  await server.prepareWorkspace(key);
  return workspaceOf({ ...fields, key, created: now, updated: now });
}

export function changeWorkspace(
  context: OrganizationContext,
  row: WorkspaceRow,
  given: WorkspaceUpdate,
): Promise<Workspace> {
  const { now } = context;
  const changed = {
    ...row,
    name: given.name ?? row.name,
    handle: given.handle ?? row.handle,
    description: given.description ?? row.description,
    default_role: given.defaultRole === undefined ? row.default_role : given.defaultRole,
  };
  return context.transaction(async (tx) => {
    if (changed.handle !== row.handle && (await tx.first(findWorkspaceByHandle, changed))) {
      throw handleTaken(changed.handle);
    }
    await tx.run(updateWorkspace, { ...changed, now });
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'workspace.update',
      target: { type: 'workspace', id: row.id, name: changed.name },
      details: given,
    });
    return workspaceOf({ ...changed, updated: now });
  });
}

/** Deletes it with all that is in it. The one behind `/api` stays: 409 `default_workspace`. */
export async function deleteWorkspace(context: OrganizationContext, row: WorkspaceRow): Promise<void> {
  if (row.key === context.server.defaultWorkspace) {
    throw new NamedConflict('default_workspace', 'The workspace behind /api cannot be deleted.');
  }
  await context.transaction(async (tx) => {
    await tx.run(removeWorkspace, row);
    await tx.run(deleteGrantsOfResource, { resource_id: row.id });
    await deleteBuiltinServer(tx, row.id, context.server.serverChanges);
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'workspace.delete',
      target: { type: 'workspace', id: row.id, name: row.name },
    });
    tx.afterCommit(() => context.server.wakeUps.wakeServer('retention'));
  });
}

function handleTaken(handle: string): NamedConflict {
  return new NamedConflict('handle_taken', `The organization already has a workspace with the handle "${handle}".`);
}
