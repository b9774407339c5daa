import type { OrganizationContext, PlatformContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import { Forbidden, found, NamedConflict, ValidationFailed } from '../../../errors.ts';
import { lookUp } from '../../../identity/callers/sign-in-attempts.ts';
import { newSecret } from '../../../identity/keys/api-keys.ts';
import { normalEmail } from '../../../identity/people/email-address.ts';
import { invitationLetter } from '../../../mail/letter.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { auditIn } from '../../audit/record.ts';
import { findMemberByEmail, memberships } from '../../organizations/members/queries.ts';
import { touchOrganization } from '../../touch-organization.ts';
import { holdSession } from '../../users/hold-session.ts';
import { type UserRow, users } from '../../users/queries.ts';
import { beginSession, type NewSession } from '../sessions/operations.ts';
import {
  findOpenInvitation,
  type InvitationRow,
  invitationOf,
  invitations,
  type OpenInvitation,
  takeInvitation,
} from './queries.ts';
import type { Invitation, InvitationAccept, InvitationCreate, MailDelivery } from './schema.ts';

export const VALID_SECONDS = 7 * 24 * 3600;

const MISSING = 'Invitation not found.';

const audit = auditIn('invitation');

interface CreatedInvitation {
  readonly invitation: Invitation;
  /** Returned once and not stored. */
  readonly token: string;
  readonly url: string;
  /** Null if the server sends no mail. */
  readonly mail: MailDelivery | null;
}

/**
 * A new invitation replaces an earlier one for the same address. It is valid even if the mail with its link cannot be
 * sent. 409 `already_member`.
 */
export async function createInvitation(
  context: OrganizationContext,
  given: InvitationCreate,
): Promise<CreatedInvitation> {
  const created = await makeInvitation(context, given);
  return { ...created, mail: await mailInvitation(context, created) };
}

async function mailInvitation(
  { server, organization, caller }: OrganizationContext,
  { invitation, url }: MadeInvitation,
): Promise<MailDelivery | null> {
  if (!server.mail.isOn) return null;
  const letter = invitationLetter({
    to: invitation.email,
    organization: organization.name,
    role: invitation.role,
    inviter: caller.actor.name,
    url,
    days: VALID_SECONDS / 86_400,
  });
  const delivery = await server.mail.send(letter, { organizationId: organization.id });
  return { sent: delivery.sent, reason: delivery.sent ? null : delivery.reason };
}

type MadeInvitation = Omit<CreatedInvitation, 'mail'>;

function makeInvitation(context: OrganizationContext, given: InvitationCreate): Promise<MadeInvitation> {
  const { organization, caller, now } = context;
  const organization_id = organization.id;
  const email = normalEmail(given.email);
  return context.transaction(async (tx) => {
    // The lock orders two invitations at the same moment: the later one must see the earlier one to replace it.
    await tx.run(touchOrganization, { organization_id, now });
    if (await tx.first(findMemberByEmail, { organization_id, email })) {
      throw new NamedConflict('already_member', `${email} is already a member of this organization.`);
    }
    const token = newSecret();
    await invitations.changeAll(tx, { organization_id, email, state: 'pending' }, { state: 'revoked', updated: now });
    const row = await invitations.insert(tx, {
      id: newTimeOrderedId(),
      created: now,
      updated: now,
      organization_id,
      email,
      role: given.role,
      token_hash: hashOfSecret(token),
      state: 'pending',
      expires_at: addSeconds(now, VALID_SECONDS),
      invited_by: caller.actor.id,
    });
    await audit(context, tx, 'create', row, { role: row.role });
    return { invitation: invitationOf(row, now), token, url: `${context.origin}/invitations/${token}` };
  });
}

/** 404 for an invitation that is accepted, revoked, expired or of another organization. */
export function withdrawInvitation(context: OrganizationContext, id: string): Promise<void> {
  const pending = { organization_id: context.organization.id, id, state: 'pending' };
  return context.transaction(async (tx) => {
    const row = await invitations.change(tx, pending, { state: 'revoked', updated: context.now });
    await audit(context, tx, 'revoke', found(row, MISSING));
  });
}

const NOT_VALID =
  'This invitation has been used, revoked or has expired. Ask the person who invited you for a new one.';

/** The details of an invitation for its holder. 404 if it is unknown, used, revoked or expired. */
export function readInvitation(context: PlatformContext, token: string): Promise<OpenInvitation> {
  const { db, now, server, address } = context;
  return lookUp(server.attempts, 'invitation', address, async () => {
    return found(await db.first(findOpenInvitation, { token_hash: hashOfSecret(token), now }), NOT_VALID);
  });
}

/**
 * Makes the person a member. A person who is signed in accepts with that account, whose address the invitation must
 * name. A new person chooses a password and is signed in. 404 for a token that is unknown, used, revoked or expired.
 */
export async function acceptInvitation(
  context: PlatformContext,
  token: string,
  given: InvitationAccept,
): Promise<NewSession> {
  const { now, caller, server } = context;
  if (caller && !caller.session) throw new Forbidden('Only a person can accept an invitation, in a browser.');
  const password = caller ? null : (given.password ?? missing('password'));
  // Comes before the hash, which is too expensive to compute for callers without an invitation.
  await readInvitation(context, token);
  const password_hash = password === null ? null : await server.passwords.hash(password);
  return context.transaction(async (tx) => {
    const invitation = found(await tx.first(takeInvitation, { token_hash: hashOfSecret(token), now }), NOT_VALID);
    const user = caller
      ? await ownAccount(context, tx, invitation)
      : await newAccount(tx, now, invitation, given, password_hash);
    const session = await beginSession(context, tx, user, 'invitation');
    const membership = { organization_id: invitation.organization_id, user_id: user.id, role: invitation.role };
    await memberships.insertUnlessThere(tx, { ...membership, created: now, updated: now });
    await audit(session.context, tx, 'accept', invitation, { role: invitation.role });
    return session;
  });
}

async function ownAccount(context: PlatformContext, tx: PlatformTx, invitation: InvitationRow): Promise<UserRow> {
  const user = await holdSession(context, tx);
  if (invitation.email !== user.email) {
    throw new Forbidden('This invitation is for another address.');
  }
  return user;
}

async function newAccount(
  tx: PlatformTx,
  now: Timestamp,
  invitation: InvitationRow,
  given: InvitationAccept,
  password_hash: string | null,
): Promise<UserRow> {
  const { email } = invitation;
  if (given.email !== undefined && normalEmail(given.email) !== email) {
    throw new Forbidden('This invitation is for another address.');
  }
  const stamps = { created: now, updated: now };
  const account = { email, name: given.name, password_hash, state: 'active', proven_at: null };
  const user = await users.insertUnlessThere(tx, { id: newTimeOrderedId(), ...stamps, ...account });
  if (user) return user;
  const existing = await users.first(tx, { email });
  // The sender of an invitation has its token too, so the token gives no access to an existing account.
  throw existing && new NamedConflict('account_exists', 'An account with this address exists. Sign in, then accept.');
}

function missing(field: string): never {
  throw new ValidationFailed([{ type: 'missing', loc: ['body', field], msg: 'Field required', input: null }]);
}
