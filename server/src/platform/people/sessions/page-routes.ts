import { actorOf, csrfTokenOf } from '../../../context/platform-context.ts';
import { type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { beginSession as cookiesOf, endSession } from '../../../http/session/session-cookie.ts';
import { safeNext } from '../../../pages/next.ts';
import { FIRST_ID } from '../../../values/id.ts';
import { listOrganizationsOf } from '../../organizations/queries.ts';
import { waysOf } from '../../sign-in/provider-link.ts';
import { signedInPage, signInPage } from '../../sign-in/sign-in-page.ts';
import { readUser } from '../../users/queries.ts';
import { signIn, signOut } from './operations.ts';

const title = 'Sign in';

export const sessionPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/sign-in',
    access: 'public',
    handler: (input) => {
      if (input.context.caller) return redirect(safeNext(input.query['next']));
      const notice = input.query['after'] === 'sign-out' ? 'You are signed out.' : undefined;
      return {
        status: 200,
        title,
        content: signInPage({ notice, ...waysOf(input.context.server, input.query['next']) }),
      };
    },
  },
  {
    method: 'POST',
    path: '/sign-in',
    access: 'public',
    handler: async ({ context, query, form }) => {
      const session = await signIn(context, {
        email: form['email']?.trim() ?? '',
        password: form['password'] ?? '',
      });
      return redirect(safeNext(query['next']), { 'set-cookie': cookiesOf(session, context.origin) });
    },
    refused: (input, { status, message }) => ({
      status,
      title,
      content: signInPage({
        email: input.form['email'],
        complaint: message,
        ...waysOf(input.context.server, input.query['next']),
      }),
    }),
  },
  {
    method: 'GET',
    path: '/signed-in',
    access: 'session',
    handler: async ({ context }) => {
      const { id } = actorOf(context);
      const user = await readUser(context.db, id);
      const organizations = await context.db.all(listOrganizationsOf, { actor_id: id, cursor: FIRST_ID, limit: 100 });
      const csrfToken = csrfTokenOf(context);
      return { status: 200, title: 'Signed in', content: signedInPage({ ...user, organizations, csrfToken }) };
    },
  },
  {
    method: 'POST',
    path: '/sign-out',
    access: 'either',
    handler: async ({ context }) => {
      await signOut(context);
      return redirect('/sign-in?after=sign-out', { 'set-cookie': endSession(context.origin) });
    },
  },
  {
    method: 'GET',
    path: '/sign-out',
    access: 'session',
    handler: () => redirect('/signed-in'),
  },
];
