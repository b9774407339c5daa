import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { beginSession as cookiesOf } from '../../http/session-cookie.ts';
import { pageQuery, readPage } from '../page.ts';
import { Session } from '../sessions/schema.ts';
import { userOf } from '../users/queries.ts';
import { acceptInvitation, createInvitation, withdrawInvitation } from './operations.ts';
import { invitationOf, listInvitations } from './queries.ts';
import { InvitationAccept, InvitationCreate, InvitationCreated, InvitationList } from './schema.ts';

const collection = '/organizations/{org}/invitations';
const tags = ['Invitations'];
const common = { tags, access: 'organization:admin' } as const;

export const invitationRoutes = [
  platformRoute({
    ...common,
    method: 'GET',
    path: collection,
    operationId: 'listInvitations',
    summary: 'List invitations',
    description: 'The invitations of the organization in every state: pending, accepted, revoked or expired.',
    parameters: { org: 'text' },
    query: pageQuery,
    responses: { 200: InvitationList },
    handler: async ({ context, query }) => {
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listInvitations, { organization_id: context.organization.id, ...position });
      return ok(await readPage(query, 'ascending', read, (row) => invitationOf(row, context.now)));
    },
  }),
  platformRoute({
    ...common,
    method: 'POST',
    path: collection,
    operationId: 'createInvitation',
    conflicts: ['already_member'],
    summary: 'Invite a person',
    description:
      'Creates an invitation for an email address, and mails the link to it where the server sends mail (SIGNALBOX_SMTP_URL). The invitation stands also where the mail was not sent: `mail` says why, and is null without a mail server. The token is in this answer and in the mail only. The invitation expires.',
    parameters: { org: 'text' },
    body: InvitationCreate,
    responses: { 201: InvitationCreated },
    handler: async ({ context, body }) => created(await createInvitation(context, body)),
  }),
  platformRoute({
    ...common,
    method: 'DELETE',
    path: `${collection}/{id}`,
    operationId: 'revokeInvitation',
    summary: 'Revoke an invitation',
    description:
      'Revokes the invitation: its link no longer works. 404 when there is no pending invitation of this id.',
    parameters: { org: 'text', id: 'uuid' },
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await withdrawInvitation(context, path.id);
      return noContent;
    },
  }),
  platformRoute({
    method: 'POST',
    path: '/invitations/{token}/accept',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Makes the person a member, with a new password or as who is signed in. 404 for a token that is unknown, used, revoked or expired.',
    conflicts: ['account_exists'],
    tags,
    access: 'public',
    sameSite: true,
    parameters: { token: 'text' },
    body: InvitationAccept,
    responses: { 200: Session },
    handler: async ({ context, path, body }) => {
      const session = await acceptInvitation(context, path.token, body);
      const headers = { 'set-cookie': cookiesOf(session, context.origin) };
      return { ...ok({ user: userOf(session.user), csrfToken: session.csrfToken }), headers };
    },
  }),
];
