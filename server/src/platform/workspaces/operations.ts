import type { OrganizationChange, OrganizationContext } from '../../context/platform-context.ts';
import { REMOVED_WORKSPACES, workspaces } from '../../database/workspaces.ts';
import { found, NamedConflict } from '../../errors.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { auditIn } from '../audit/record.ts';
import { grants } from '../grants/queries.ts';
import { deleteBuiltinServer } from '../servers/server/builtin-server.ts';
import { insertWorkspace, type WorkspaceRow, workspaceOf } from './queries.ts';
import type { Workspace, WorkspaceCreate, WorkspaceUpdate } from './schema.ts';

export const MISSING = 'Workspace not found.';

const audit = auditIn('workspace');

/** If two requests take the same key at the same moment, one of them tries again. */
const ATTEMPTS = 5;

/** 409 `handle_taken`. The workspace is ready for clients when this resolves. */
export async function createWorkspace(context: OrganizationChange, given: WorkspaceCreate): Promise<Workspace> {
  const { organization, now, server } = context;
  const { defaultRole, ...fields } = given;
  const { handle } = fields;
  const place = { id: newTimeOrderedId(), created: now, updated: now, organization_id: organization.id };
  const row = await context.transaction(async (tx) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await workspaces.first(tx, { organization_id: organization.id, handle })) break;
      const created = await tx.first(insertWorkspace, { ...place, ...fields, default_role: defaultRole });
      if (!created) continue;
      await audit(context, tx, 'create', created, { handle, defaultRole });
      return created;
    }
    throw handleTaken(handle);
  });
  await server.prepareWorkspace(row.key);
  return workspaceOf(row);
}

export function changeWorkspace(
  context: OrganizationContext,
  row: WorkspaceRow,
  given: WorkspaceUpdate,
): Promise<Workspace> {
  const { defaultRole: default_role, ...fields } = given;
  const { handle = row.handle } = fields;
  const { organization_id, id } = row;
  return context.transaction(async (tx) => {
    if (handle !== row.handle && (await workspaces.first(tx, { organization_id, handle }))) throw handleTaken(handle);
    const change = { ...fields, default_role, updated: context.now };
    const changed = found(await workspaces.change(tx, { organization_id, id }, change), MISSING);
    await audit(context, tx, 'update', changed, given);
    return workspaceOf(changed);
  });
}

/**
 * Deletes it with all of its content: its handle is free at once, and its rows are deleted in batches. The workspace
 * behind `/api` cannot be deleted: 409 `default_workspace`.
 */
export async function deleteWorkspace(context: OrganizationContext, row: WorkspaceRow): Promise<void> {
  if (row.key === context.server.defaultWorkspace) {
    throw new NamedConflict('default_workspace', 'The workspace behind /api cannot be deleted.');
  }
  const { organization_id, id } = row;
  await context.transaction(async (tx) => {
    await workspaces.change(tx, { organization_id, id }, { organization_id: REMOVED_WORKSPACES, handle: id });
    await grants.removeAll(tx, { resource_id: id });
    await deleteBuiltinServer(tx, id, context.server.hub);
    await audit(context, tx, 'delete', row);
    tx.afterCommit(() => context.server.hub.tell('work', 'retention', undefined));
  });
}

function handleTaken(handle: string): NamedConflict {
  return new NamedConflict('handle_taken', `The organization already has a workspace with the handle "${handle}".`);
}
