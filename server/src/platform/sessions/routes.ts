import { notFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { beginSession as cookieOf, endSession } from '../../http/session-cookie.ts';
import { actorOf, csrfTokenOf } from '../../platform-context.ts';
import { findUser, userOf } from '../users/queries.ts';
import { SESSION_SECONDS, signIn, signOut } from './operations.ts';
import { Session, SignIn } from './schema.ts';

const path = '/session';
const tags = ['Session'];

export const sessionRoutes = [
  platformRoute({
    method: 'POST',
    path,
    operationId: 'signIn',
    tags,
    summary: 'Signs a person in: the answer sets the cookie of a new session.',
    access: 'public',
    sameSite: true,
    body: SignIn,
    responses: { 200: Session },
    handler: async ({ context, body }) => {
      const { user, secret, csrfToken } = await signIn(context, body);
      const headers = { 'set-cookie': cookieOf(secret, SESSION_SECONDS, context.origin) };
      return { ...ok({ user: userOf(user), csrfToken }), headers };
    },
  }),
  platformRoute({
    method: 'GET',
    path,
    operationId: 'readSession',
    tags,
    summary: 'Who is signed in, with the token that changes must carry.',
    access: 'session',
    responses: { 200: Session },
    handler: async ({ context }) => {
      const user = (await context.db.first(findUser, { id: actorOf(context).id })) ?? notFound('User not found.');
      return ok({ user: userOf(user), csrfToken: csrfTokenOf(context) });
    },
  }),
  platformRoute({
    method: 'DELETE',
    path,
    operationId: 'signOut',
    tags,
    summary: 'Ends the session, here and for every copy of its cookie.',
    access: 'session',
    responses: { 204: null },
    handler: async ({ context }) => {
      await signOut(context);
      return { ...noContent, headers: { 'set-cookie': endSession(context.origin) } };
    },
  }),
];
