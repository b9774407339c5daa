import { sql } from 'kysely';
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import type { Timestamp } from '../../time.ts';
import type { Workspace } from './schema.ts';

export type WorkspaceRow = Row<'workspace'>;

/**
 * Takes the next key that no workspace ever had. Answers nothing when the handle is taken, or when another request took
 * the key at the same moment.
 */
export const insertWorkspace = platformStatement<
  Omit<WorkspaceRow, 'key' | 'created' | 'updated'> & { now: Timestamp },
  Pick<WorkspaceRow, 'key'>
>((query, given) =>
  query
    .insertInto('workspace')
    .values((eb) => ({
      key: sql<number>`(select coalesce(max(had.key), 0) + 1
        from (select key from workspace union all select key from removed_workspace) had)`,
      id: given.id,
      created: given.now,
      updated: given.now,
      name: given.name,
      organization_id: given.organization_id,
      handle: given.handle,
      description: given.description,
      default_role: eb.val(given.default_role),
    }))
    .onConflict((conflict) => conflict.doNothing())
    .returning('key'),
);

type Place = Pick<WorkspaceRow, 'organization_id' | 'id'>;

export const findWorkspace = platformStatement<Place, WorkspaceRow>((query, given) =>
  query
    .selectFrom('workspace')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id),
);

export const findWorkspaceByHandle = platformStatement<
  Pick<WorkspaceRow, 'organization_id' | 'handle'>,
  Pick<WorkspaceRow, 'id' | 'key'>
>((query, given) =>
  query
    .selectFrom('workspace')
    .select(['id', 'key'])
    .where('organization_id', '=', given.organization_id)
    .where('handle', '=', given.handle),
);

/** The workspaces in which the actor has any role; all of them for an administrator. */
export const listVisibleWorkspaces = platformStatement<
  { organization_id: string; actor_id: string; organization_role: string; cursor: string; limit: number },
  WorkspaceRow
>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .leftJoin('resource_grant', (join) =>
        join
          .onRef('resource_grant.resource_id', '=', 'workspace.id')
          .on('resource_grant.actor_id', '=', given.actor_id),
      )
      .selectAll('workspace')
      .where('workspace.organization_id', '=', given.organization_id)
      .where((eb) =>
        eb.or([
          eb(sql`cast(${given.organization_role} as text)`, '=', 'admin'),
          eb('resource_grant.role', 'is not', null),
          eb('workspace.default_role', 'is not', null),
        ]),
      )
      .where('workspace.id', '>', given.cursor)
      .orderBy('workspace.id')
      .limit(given.limit) as never,
);

/** The whole row, as it shall be. */
export const updateWorkspace = platformStatement<
  Omit<WorkspaceRow, 'key' | 'created' | 'updated'> & { now: Timestamp },
  unknown
>((query, given) =>
  query
    .updateTable('workspace')
    .set({
      updated: given.now,
      name: given.name,
      handle: given.handle,
      description: given.description,
      default_role: given.default_role,
    })
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id),
);

/** Takes the workspace from its organization. Its handle can be taken at once; its rows are deleted in pieces. */
export const removeWorkspace = platformStatement<Place, unknown>((query, given) =>
  query
    .updateTable('workspace')
    .set((eb) => ({ organization_id: REMOVED_WORKSPACES, handle: sql<string>`cast(${eb.ref('id')} as text)` }))
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id),
);

export const removeWorkspacesOf = platformStatement<{ organization_id: string }, unknown>((query, given) =>
  query
    .updateTable('workspace')
    .set((eb) => ({ organization_id: REMOVED_WORKSPACES, handle: sql<string>`cast(${eb.ref('id')} as text)` }))
    .where('organization_id', '=', given.organization_id),
);

export function workspaceOf(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    organizationId: row.organization_id,
    name: row.name,
    handle: row.handle,
    description: row.description,
    defaultRole: row.default_role as Workspace['defaultRole'],
  };
}
