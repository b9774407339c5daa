/** Reads everything that waits for a member of an organization. */
import type { OrganizationContext } from '../../context/platform-context.ts';
import { platformStatement } from '../../database/statement.ts';
import { LAST_ID } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { listKeysOf, listKeysOfOrganization } from '../keys/api-keys/lists.ts';
import { type InvitationRow, invitationOf } from '../people/invitations/queries.ts';
import { accessRequestOf, listAccessRequests } from '../servers/access-requests/queries.ts';
import { readServerCauses } from '../servers/causes/operations.ts';
import { readHeldTools } from './held-tools.ts';

const MOST_LISTED = 20;
const MOST_KEYS = 100;
/** An invitation that expired longer ago is forgotten. */
const EXPIRED_SECONDS = 30 * 86_400;

const listUnanswered = platformStatement<{ organization_id: string; since: Timestamp; limit: number }, InvitationRow>(
  (query, given) =>
    query
      .selectFrom('invitation')
      .selectAll()
      .where('organization_id', '=', given.organization_id)
      .where('state', '=', 'pending')
      .where('expires_at', '>', given.since)
      .orderBy('expires_at')
      .limit(given.limit),
);

export async function readInbox(context: OrganizationContext, seconds: number) {
  const { organization, caller, db, now } = context;
  const organization_id = organization.id;
  const isAdministrator = organization.role === 'admin';
  const [requests, heldTools, invitations, keys, causes] = await Promise.all([
    db.all(listAccessRequests, {
      organization_id,
      organization_role: organization.role,
      actor_id: caller.actor.id,
      own: false,
      state: 'open',
      server_id: undefined,
      cursor: LAST_ID,
      limit: MOST_LISTED,
    }),
    readHeldTools(context),
    isAdministrator
      ? db.all(listUnanswered, { organization_id, since: addSeconds(now, -EXPIRED_SECONDS), limit: MOST_LISTED })
      : [],
    readEndingKeys(context),
    readServerCauses(context, { shelf: 'open', since: addSeconds(now, -seconds), limit: MOST_LISTED }),
  ]);
  return {
    accessRequests: requests.map(accessRequestOf),
    heldTools,
    invitations: invitations.map((row) => invitationOf(row, now)),
    keys,
    causes,
  };
}

/** Sorted by their end. Keys that were rolled are left out, because their end was chosen. */
async function readEndingKeys(context: OrganizationContext) {
  const { organization, caller } = context;
  const query = { filter: 'expiring', limit: MOST_KEYS } as const;
  const [own, ofAccounts] = await Promise.all([
    caller.actor.type === 'user' ? listKeysOf(context, caller.actor.id, query) : { items: [] },
    organization.role === 'admin' ? listKeysOfOrganization(context, organization, query) : { items: [] },
  ]);
  return [...own.items.map((key) => ({ ...key, serviceAccount: null })), ...ofAccounts.items]
    .filter(({ replacedBy }) => replacedBy === null)
    .sort((one, other) => ((one.expiresAt ?? '') < (other.expiresAt ?? '') ? -1 : 1));
}
