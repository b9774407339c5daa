/** Requests of people for access to a server that is only discoverable, and the decisions of administrators. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { Forbidden, found, NamedConflict, notFound, TooManyRequests } from '../../../errors.ts';
import type { Role } from '../../../identity/access/access.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, secondsBetween } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { grantRole } from '../../grants/operations.ts';
import { touchOrganization } from '../../touch-organization.ts';
import { findSeenServer, serverFor } from '../server/access.ts';
import type { ServerRow } from '../server/queries.ts';
import {
  type AccessRequestRow,
  accessRequestOf,
  accessRequests,
  countOpenRequests,
  findListedRequest,
  type ListedRequest,
} from './queries.ts';
import type { AccessRequest, AccessRequestCreate } from './schema.ts';

const MISSING = 'Request not found.';

const audit = auditIn('access_request', 'server');

/** Open requests of one person in one organization. */
const MOST_OPEN = 20;
/** A person who was refused, or who has withdrawn, may request access to the same server again after this time. */
const AGAIN_SECONDS = { refused: 24 * 3600, withdrawn: 600 };

/**
 * 404 for a server that the person may not know of, 409 `has_access`, `request_open` or `too_many_open_requests`, 429
 * soon after an earlier request was refused or withdrawn. Only people can request access: an administrator gives a
 * service account its role.
 */
export async function requestAccess(
  context: OrganizationContext,
  idOrSlug: string,
  { reason }: AccessRequestCreate,
): Promise<AccessRequest> {
  const { organization, caller, now, server } = context;
  const { row, role } = await findSeenServer(context, idOrSlug);
  if (caller.actor.type !== 'user') {
    throw new Forbidden('A service account cannot ask for access. An administrator of the server can grant it a role.');
  }
  if (role !== null) throw new NamedConflict('has_access', `You already have the role ${role} on this server.`);
  const place = { server_id: row.id, user_id: caller.actor.id };
  const member = { organization_id: organization.id, user_id: caller.actor.id };
  return context.transaction(async (tx) => {
    // The lock orders two requests of one person.
    await tx.run(touchOrganization, { organization_id: organization.id, now });
    checkEarlier(await accessRequests.first(tx, place), now);
    const open = await tx.first(countOpenRequests, member);
    if (Number(open?.amount ?? 0) >= MOST_OPEN) {
      throw new NamedConflict(
        'too_many_open_requests',
        `You have ${MOST_OPEN} open requests. Withdraw one, or wait until one is decided.`,
      );
    }
    const id = newTimeOrderedId();
    const undecided = { role: null, answer: null, decided_at: null, decided_by: null };
    await accessRequests.removeAll(tx, place);
    await accessRequests.insert(tx, {
      id,
      created: now,
      updated: now,
      ...member,
      server_id: row.id,
      reason,
      state: 'open',
      ...undecided,
    });
    await audit(context, tx, 'create', row, { reason });
    tx.afterCommit(() => server.hub.tell('activity', row.id, 'access_request'));
    return accessRequestOf(await listed(context, tx, id));
  });
}

function checkEarlier(earlier: AccessRequestRow | undefined, now: OrganizationContext['now']): void {
  if (earlier?.state === 'open') {
    throw new NamedConflict('request_open', 'You have already requested access to this server.');
  }
  if (earlier?.state !== 'refused' && earlier?.state !== 'withdrawn') return;
  const wait = secondsBetween(now, addSeconds(earlier.updated, AGAIN_SECONDS[earlier.state]));
  if (wait > 0) {
    throw new TooManyRequests(`Your request was ${earlier.state}. You can ask again later.`, Math.ceil(wait));
  }
}

/** Gives the person the role, replacing one that was granted in the meantime. 404 or 409 like `decide`. */
export function approveAccess(context: OrganizationContext, id: string, role: Role): Promise<AccessRequest> {
  return decide(context, id, async (tx, request, server) => {
    // The grant closes the request.
    await grantRole(context, tx, { type: 'server', id: server.id, name: server.name }, request.user_id, role);
    await audit(context, tx, 'approve', server, { userName: request.user_email, role });
  });
}

export function refuseAccess(context: OrganizationContext, id: string, reason: string): Promise<AccessRequest> {
  return decide(context, id, async (tx, request, server) => {
    await close(context, tx, id, { state: 'refused', answer: reason, decided_by: context.caller.actor.name });
    await audit(context, tx, 'refuse', server, { userName: request.user_email, reason });
  });
}

/** Withdraws the caller's own request. 404 for another person's request, 409 `request_closed`. */
export async function withdrawRequest(context: OrganizationContext, id: string): Promise<void> {
  const { organization, caller, server } = context;
  await context.transaction(async (tx) => {
    const request = await tx.first(findListedRequest, { organization_id: organization.id, id });
    if (request?.user_id !== caller.actor.id) notFound(MISSING);
    const closed = await close(context, tx, id, { state: 'withdrawn', answer: null, decided_by: null });
    if (!closed) throw requestClosed(request);
    const { server_id, server_name } = request;
    await audit(context, tx, 'withdraw', { id: server_id, name: server_name });
    tx.afterCommit(() => server.hub.tell('activity', server_id, 'access_request'));
  });
}

/**
 * Runs `work` on an open request to a server that the caller administers. Throws NotFound, Forbidden, or 409
 * `request_closed`.
 */
async function decide(
  context: OrganizationContext,
  id: string,
  work: (tx: PlatformTx, request: ListedRequest, server: ServerRow) => Promise<void>,
): Promise<AccessRequest> {
  const { organization, now } = context;
  const place = { organization_id: organization.id, id };
  const { server_id } = found(await context.db.first(findListedRequest, place), MISSING);
  const row = await serverFor(context, server_id, 'admin');
  return context.transaction(async (tx) => {
    await tx.run(touchOrganization, { organization_id: organization.id, now });
    const request = await listed(context, tx, id);
    if (request.state !== 'open') throw requestClosed(request);
    await work(tx, request, row);
    tx.afterCommit(() => context.server.hub.tell('activity', row.id, 'access_request'));
    return accessRequestOf(await listed(context, tx, id));
  });
}

async function listed({ organization }: OrganizationContext, tx: PlatformTx, id: string): Promise<ListedRequest> {
  return found(await tx.first(findListedRequest, { organization_id: organization.id, id }), MISSING);
}

/** Undefined when the request is no longer open: the first decision counts. */
function close(
  { organization, now }: OrganizationContext,
  tx: PlatformTx,
  id: string,
  decision: Pick<AccessRequestRow, 'state' | 'answer' | 'decided_by'>,
): Promise<AccessRequestRow | undefined> {
  const open = { organization_id: organization.id, id, state: 'open' };
  return accessRequests.change(tx, open, { ...decision, role: null, decided_at: now, updated: now });
}

function requestClosed({ state }: Pick<ListedRequest, 'state'>): NamedConflict {
  return new NamedConflict('request_closed', `This request is already ${state}.`);
}
