import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { grantOf, places } from '../../identity/access/standing.ts';
import { answerOf } from '../answer-of.ts';
import { Workspace } from './schema.ts';

export type WorkspaceRow = Row<'workspace'>;

/**
 * Takes the next key that no workspace ever had. Returns no row when the handle is taken, or when another request took
 * the key at the same moment.
 */
export const insertWorkspace = platformStatement<Omit<WorkspaceRow, 'key'>, WorkspaceRow>((query, given) =>
  query
    .insertInto('workspace')
    .values({
      ...rowOf('workspace', given),
      key: sql<number>`(select coalesce(max(had.key), 0) + 1
        from (select key from workspace union all select key from removed_workspace) had)`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll(),
);

/** The workspaces in which the actor has any role; all of them for an administrator. */
export const listVisibleWorkspaces = platformStatement<
  { organization_id: string; actor_id: string; organization_role: string; cursor: string; limit: number },
  WorkspaceRow
>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .$call(grantOf(given.actor_id, places.workspace.resource))
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

/** Removes all workspaces of the organization, as `deleteWorkspace` removes one. */
export const removeWorkspacesOf = platformStatement<{ organization_id: string }, unknown>((query, given) =>
  query
    .updateTable('workspace')
    .set((eb) => ({ organization_id: REMOVED_WORKSPACES, handle: sql<string>`cast(${eb.ref('id')} as text)` }))
    .where('organization_id', '=', given.organization_id),
);

export const workspaceOf = answerOf(Workspace);
