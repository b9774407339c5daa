import { actorOf, csrfTokenOf } from '../../../context/platform-context.ts';
import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { noContent, ok } from '../../../http/routes/route.ts';
import { beginSession as cookiesOf, endSession } from '../../../http/session/session-cookie.ts';
import { readUser, userOf } from '../../users/queries.ts';
import { signIn, signOut } from './operations.ts';
import { Session, SignIn } from './schema.ts';

const { get, post, remove } = platformRoutes('Session', 'session');

export const sessionRoutes = [
  post('/session', 'signIn', {
    summary: 'Sign in',
    description:
      'Signs in with address and password. The answer sets the cookie of a new session. All failed attempts get the same answer, and must wait longer each time (429 with `Retry-After` in seconds).',
    access: 'public',
    sameSite: true,
    body: SignIn,
    responses: { 200: Session },
    handler: async ({ context, body }) => {
      const session = await signIn(context, body);
      const headers = { 'set-cookie': cookiesOf(session, context.origin) };
      return { ...ok({ user: userOf(session.user), csrfToken: session.csrfToken }), headers };
    },
  }),
  get('/session', 'readSession', {
    summary: 'Read the session',
    description: 'The person who is signed in, and the token that changes must send in the header `x-csrf-token`.',
    answers: Session,
    handler: async ({ context }) => {
      const user = await readUser(context.db, actorOf(context).id);
      return { user: userOf(user), csrfToken: csrfTokenOf(context) };
    },
  }),
  remove('/session', 'signOut', {
    summary: 'Sign out',
    description: 'Ends the session, also for every copy of its cookie.',
    responses: { 204: null },
    handler: async ({ context }) => {
      await signOut(context);
      return { ...noContent, headers: { 'set-cookie': endSession(context.origin) } };
    },
  }),
];
