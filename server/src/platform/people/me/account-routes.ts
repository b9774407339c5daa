/** Routes for people about their own account. They require a session: a key cannot change who may sign in. */
import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { noContent } from '../../../http/routes/route.ts';
import { beginSession as cookiesOf } from '../../../http/session/session-cookie.ts';
import { changePassword, endOtherSessions, endOwnSession, readAccount, renameAccount } from './account.ts';
import { OwnAccount, OwnAccountUpdate, PasswordChange } from './account-schema.ts';

const { get, put, patch, remove } = platformRoutes('Me', 'session');

export const ownAccountRoutes = [
  get('/me/account', 'readOwnAccount', {
    summary: "Read the caller's account",
    description: 'The person, whether the account has a password, and the valid sessions, last used first.',
    answers: OwnAccount,
    handler: ({ context }) => readAccount(context),
  }),
  patch('/me/account', 'updateOwnAccount', {
    summary: "Change the caller's name",
    description: 'Sets the name that others see beside the address. Null removes it.',
    body: OwnAccountUpdate,
    answers: OwnAccount,
    handler: ({ context, body }) => renameAccount(context, body.name),
  }),
  put('/me/password', 'changePassword', {
    summary: "Change the caller's password",
    description:
      'Sets the password and ends every session of the person; keys stay. The answer sets the cookie of a new session for this browser, with the same CSRF token. 403 when the current password is wrong, 429 after too many guesses, 409 `no_password` for an account without one.',
    conflicts: ['no_password'],
    body: PasswordChange,
    responses: { 204: null },
    handler: async ({ context, body }) => {
      const session = await changePassword(context, body);
      return { ...noContent, headers: { 'set-cookie': cookiesOf(session, context.origin) } };
    },
  }),
  remove('/me/sessions', 'endOtherSessions', {
    summary: 'End all other sessions of the caller',
    description:
      'Ends every session of the person except this one. Applies to every request that begins after the answer.',
    handler: ({ context }) => endOtherSessions(context),
  }),
  remove('/me/sessions/{sessionId}', 'endSession', {
    summary: 'End a session of the caller',
    description: 'Applies to every request that begins after the answer. 404 when the caller has no such session.',
    parameters: { sessionId: 'text' },
    handler: ({ context, path }) => endOwnSession(context, path.sessionId),
  }),
];
