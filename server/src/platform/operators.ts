/**
 * Operators run this installation: on the command line, anyone who can run it; on the API, the administrators of the
 * organization behind /api, which exists from the first start. Administrators of other organizations are not operators.
 */

import { actorOf, type PlatformContext } from '../context/platform-context.ts';
import { platformStatement } from '../database/statement.ts';
import { Forbidden } from '../errors.ts';
import { ofActor, places, roleInOrganization } from '../identity/access/standing.ts';
import { ageRefusal } from '../identity/keys/key-end.ts';

const findRole = platformStatement<
  { actor_id: string; key: number },
  { role: string | null; max_key_age_days: number | null }
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('workspace', 'workspace.organization_id', 'organization.id')
      .$call(ofActor.at(given.actor_id, places.organization))
      .where('workspace.key', '=', given.key)
      .select(['organization.max_key_age_days as max_key_age_days', roleInOrganization.as('role')]) as never,
);

/** Throws Forbidden with the subject of what only operators may do: `Commands are built`. */
export async function checkOperator(context: PlatformContext, what: string): Promise<void> {
  const place = { actor_id: actorOf(context).id, key: context.server.defaultWorkspace };
  const found = await context.db.first(findRole, place);
  if (found?.role !== 'admin') {
    throw new Forbidden(`${what} by operators only: administrators of the organization behind /api.`);
  }
  const tooOld = ageRefusal(actorOf(context).keyCreated, found.max_key_age_days, context.now);
  if (tooOld !== undefined) throw new Forbidden(tooOld);
}
