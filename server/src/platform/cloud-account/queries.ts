import { platformStatement } from '../../database/statement.ts';
import { ofActor, places } from '../../identity/access/standing.ts';

/** Has the names that the command line of Prefect reads. */
interface OwnWorkspace {
  readonly account_id: string;
  readonly account_name: string;
  readonly account_handle: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly workspace_description: string;
  readonly workspace_handle: string;
}

/** All workspaces in which an actor has a role. */
export const listOwnWorkspaces = platformStatement<{ actor_id: string }, OwnWorkspace>(
  (query, given) =>
    query
      .selectFrom('workspace')
      .innerJoin('organization', 'organization.id', 'workspace.organization_id')
      .$call(ofActor.at(given.actor_id, places.workspace))
      .where((eb) =>
        eb.or([
          eb('membership.role', '=', 'admin'),
          eb('service_account.role', '=', 'admin'),
          eb.and([
            eb.or([eb('membership.role', 'is not', null), eb('service_account.role', 'is not', null)]),
            eb.or([eb('resource_grant.role', 'is not', null), eb('workspace.default_role', 'is not', null)]),
          ]),
        ]),
      )
      .select([
        'organization.id as account_id',
        'organization.name as account_name',
        'organization.slug as account_handle',
        'workspace.id as workspace_id',
        'workspace.name as workspace_name',
        'workspace.description as workspace_description',
        'workspace.handle as workspace_handle',
      ])
      .orderBy('organization.id')
      .orderBy('workspace.id') as never,
);
