import { organizationRoutes, platformRoutes } from '../../../http/routes/platform-routes.ts';
import { ok } from '../../../http/routes/route.ts';
import { beginSession as cookiesOf } from '../../../http/session/session-cookie.ts';
import { pageQuery, readPage } from '../../page.ts';
import { userOf } from '../../users/queries.ts';
import { Session } from '../sessions/schema.ts';
import { acceptInvitation, createInvitation, withdrawInvitation } from './operations.ts';
import { invitationOf, invitations } from './queries.ts';
import { InvitationAccept, InvitationCreate, InvitationCreated, InvitationList } from './schema.ts';

const { get, post, remove } = organizationRoutes('Invitations', 'admin');
const platform = platformRoutes('Invitations', 'public');

export const invitationRoutes = [
  get('/invitations', 'listInvitations', {
    summary: 'List invitations',
    description: 'The invitations of the organization in every state: pending, accepted, revoked or expired.',
    query: pageQuery,
    answers: InvitationList,
    handler: ({ context, query }) =>
      readPage(
        query,
        'ascending',
        (position) => invitations.page(context.db, { organization_id: context.organization.id }, position),
        (row) => invitationOf(row, context.now),
      ),
  }),
  post('/invitations', 'createInvitation', {
    conflicts: ['already_member'],
    summary: 'Invite a person',
    description:
      'Creates an invitation for an email address, and mails the link if the server sends mail (SIGNALBOX_SMTP_URL). If the mail was not sent, the invitation is still valid and `mail` says why; it is null without a mail server. Only this answer and the mail contain the token. The invitation expires.',
    body: InvitationCreate,
    answers: [201, InvitationCreated],
    handler: ({ context, body }) => createInvitation(context, body),
  }),
  remove('/invitations/{id}', 'revokeInvitation', {
    summary: 'Revoke an invitation',
    description:
      'Revokes the invitation: its link no longer works. 404 when there is no pending invitation with this id.',
    handler: ({ context, path }) => withdrawInvitation(context, path.id),
  }),
  platform.post('/invitations/{token}/accept', 'acceptInvitation', {
    summary: 'Accept an invitation',
    description:
      'Makes the person a member: a new person with a password, or the person who is signed in. 404 for a token that is unknown, used, revoked or expired.',
    conflicts: ['account_exists'],
    sameSite: true,
    body: InvitationAccept,
    responses: { 200: Session },
    handler: async ({ context, path, body }) => {
      const session = await acceptInvitation(context, path.token, body);
      const headers = { 'set-cookie': cookiesOf(session, context.origin) };
      return { ...ok({ user: userOf(session.user), csrfToken: session.csrfToken }), headers };
    },
  }),
];
