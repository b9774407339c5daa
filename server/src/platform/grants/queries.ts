import { platformStatement } from '../../database/statement.ts';

/** Every grant that an actor has on what an organization owns. */
export const deleteGrantsOfActor = platformStatement<{ actor_id: string; organization_id: string }, unknown>(
  (query, given) =>
    query
      .deleteFrom('resource_grant')
      .where('actor_id', '=', given.actor_id)
      .where('resource_id', 'in', (sub) =>
        sub.selectFrom('workspace').select('workspace.id').where('organization_id', '=', given.organization_id),
      ),
);
