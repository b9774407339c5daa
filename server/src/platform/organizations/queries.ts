import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { ofActor, places, roleInOrganization } from '../../identity/access/standing.ts';
import { answerOf } from '../answer-of.ts';
import { Organization, OwnOrganization } from './schema.ts';

type OrganizationRow = Row<'organization'>;
type OwnOrganizationRow = OrganizationRow & { readonly role: string };

/** The organizations of an actor: of a user by membership, of a service account its own. */
export const listOrganizationsOf = platformStatement<
  { actor_id: string; cursor: string; limit: number },
  OwnOrganizationRow
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .$call(ofActor.at(given.actor_id, places.organization))
      .selectAll('organization')
      .select(roleInOrganization.as('role'))
      .where((eb) => eb.or([eb('membership.user_id', 'is not', null), eb('service_account.id', 'is not', null)]))
      .where('organization.id', '>', given.cursor)
      .orderBy('organization.id')
      .limit(given.limit) as never,
);

export const organizationOf = answerOf(Organization);
export const ownOrganizationOf = answerOf(OwnOrganization);
