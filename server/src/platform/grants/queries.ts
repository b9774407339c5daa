import { sql } from 'kysely';
import { rows } from '../../database/rows.ts';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { answerOf } from '../answer-of.ts';
import { Grant } from './schema.ts';

export const grants = rows('resource_grant');

/** All grants that an actor has on resources of an organization. */
export const deleteGrantsOfActor = platformStatement<{ actor_id: string; organization_id: string }, unknown>(
  (query, given) =>
    query
      .deleteFrom('resource_grant')
      .where('actor_id', '=', given.actor_id)
      .where('resource_id', 'in', (sub) =>
        sub
          .selectFrom('workspace')
          .select('workspace.id')
          .where('organization_id', '=', given.organization_id)
          .unionAll((union) =>
            union.selectFrom('mcp_server').select('mcp_server.id').where('organization_id', '=', given.organization_id),
          ),
      ),
);

export const putGrant = platformStatement<Row<'resource_grant'>, unknown>((query, given) =>
  query
    .insertInto('resource_grant')
    .values(rowOf('resource_grant', given))
    .onConflict((conflict) =>
      conflict.columns(['resource_id', 'actor_id']).doUpdateSet({ role: given.role, updated: given.updated }),
    ),
);

type GrantRow = Row<'resource_grant'> & { readonly id: string; readonly actor_name: string };

export const listGrants = platformStatement<{ resource_id: string; cursor: string; limit: number }, GrantRow>(
  (query, given) =>
    query
      .selectFrom('resource_grant')
      .leftJoin('user_account', 'user_account.id', 'resource_grant.actor_id')
      .leftJoin('service_account', 'service_account.id', 'resource_grant.actor_id')
      .where('resource_grant.resource_id', '=', given.resource_id)
      .where('resource_grant.actor_id', '>', given.cursor)
      .selectAll('resource_grant')
      .select((eb) => [
        'resource_grant.actor_id as id',
        eb.fn.coalesce('user_account.email', 'service_account.name', sql.lit('')).as('actor_name'),
      ])
      .orderBy('resource_grant.actor_id')
      .limit(given.limit) as never,
);

interface FoundActor {
  readonly actor_type: Row<'resource_grant'>['actor_type'];
  readonly name: string;
}

/** An actor that a grant may name: a member, or a service account that is not deleted. */
export const findActorOfOrganization = platformStatement<{ organization_id: string; actor_id: string }, FoundActor>(
  (query, given) =>
    query
      .selectFrom('membership')
      .innerJoin('user_account', 'user_account.id', 'membership.user_id')
      .select((eb) => [eb.val('user').as('actor_type'), 'user_account.email as name'])
      .where('membership.organization_id', '=', given.organization_id)
      .where('membership.user_id', '=', given.actor_id)
      .unionAll((union) =>
        union
          .selectFrom('service_account')
          .select((eb) => [eb.val('service_account').as('actor_type'), 'service_account.name as name'])
          .where('service_account.organization_id', '=', given.organization_id)
          .where('service_account.id', '=', given.actor_id)
          .where('service_account.state', '<>', 'deleted'),
      ) as never,
);

export const grantOf = answerOf(Grant);
