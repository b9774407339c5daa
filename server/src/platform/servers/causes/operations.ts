import type { OrganizationContext } from '../../../context/platform-context.ts';
import { found, ValidationFailed } from '../../../errors.ts';
import { findActiveMember } from '../../../identity/people/person.ts';
import { changed, type Shelf } from '../../../recurrence/recurrence.ts';
import type { Timestamp } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { serverFor } from '../server/access.ts';
import { listedRole } from '../server/answers.ts';
import { listServerNames } from '../server/queries.ts';
import { mayEdit } from '../views/catalog.ts';
import { findServerCause, listServerCauses, lockServerCause, serverCauseOf, serverCauses } from './queries.ts';
import type { ServerFailureCauseUpdate } from './schema.ts';

const MISSING = 'Failure cause not found.';
const MOST_SERVERS = 200;

const audit = auditIn('server_failure_cause');

/** The causes at the servers that the caller edits. */
export async function readServerCauses(
  context: OrganizationContext,
  asked: { readonly shelf: Shelf; readonly since: Timestamp; readonly limit: number },
) {
  const { organization, caller, db, now } = context;
  const place = { organization_id: organization.id, actor_id: caller.actor.id };
  const servers = await db.all(listServerNames, { ...place, limit: MOST_SERVERS });
  const server_ids = servers.filter((row) => mayEdit(listedRole(context, row))).map(({ id }) => id);
  const found = server_ids.length === 0 ? [] : await db.all(listServerCauses, { ...asked, server_ids, now });
  return found.map((row) => serverCauseOf(row, now));
}

/** Throws NotFound, and Forbidden for a caller who does not edit its server. */
export async function readServerCause(context: OrganizationContext, id: string) {
  const { organization, db, now } = context;
  const row = found(await db.first(findServerCause, { organization_id: organization.id, id }), MISSING);
  await serverFor(context, row.server_id, 'editor');
  return serverCauseOf(row, now);
}

/** Throws like `readServerCause`, and ValidationFailed for an owner who is not a member or a time in the past. */
export async function updateServerCause(context: OrganizationContext, id: string, input: ServerFailureCauseUpdate) {
  const { organization, now } = context;
  const { resolved, mutedUntil, mutedFor, ownerId } = input;
  if (mutedUntil && mutedUntil <= now) invalid('mutedUntil', 'The time must be in the future.');
  const { server, reason } = await readServerCause(context, id);
  return context.transaction(async (tx) => {
    const before = found(await tx.first(lockServerCause, { id }), MISSING);
    const member = { organization_id: organization.id, id: ownerId ?? '' };
    const person = ownerId == null ? undefined : await tx.first(findActiveMember, member);
    if (ownerId != null && !person) invalid('ownerId', 'The owner must be a member of the organization.');
    const part = changed(
      before,
      {
        ...(resolved != null && { resolved }),
        ...(mutedUntil !== undefined && { muted_until: mutedUntil }),
        ...(mutedFor !== undefined && { muted_for: mutedFor }),
        ...(ownerId !== undefined && { owner: person ? { id: person.id, name: person.name ?? person.email } : null }),
      },
      now,
    );
    await serverCauses.changeAll(tx, { id }, { ...part, updated: now });
    await audit(context, tx, 'update', { id, name: `${server.name}: ${reason}` }, part);
    tx.afterCommit(() => context.server.hub.tell('activity', server.id, 'server_request'));
    return serverCauseOf(
      found(await tx.first(findServerCause, { organization_id: organization.id, id }), MISSING),
      now,
    );
  });
}

function invalid(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg }]);
}
