import { type PageInput, type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { beginSession as cookiesOf } from '../../../http/session/session-cookie.ts';
import { problemsOf } from '../../../pages/form.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { accountSentences } from '../sessions/schema.ts';
import { askForReset, RESET_SECONDS, readReset, requireMail, resetPassword } from './operations.ts';
import { askedPage, askPage, deadResetPage, newPasswordPage, noMailPage } from './reset-page.ts';
import { NewPassword, ResetRequest } from './schema.ts';

const path = '/forgotten-password';
const linkPath = '/forgotten-password/{token}';
const title = 'Forgotten password';
const decodeRequest = compileDecoder(ResetRequest, 'body');
const decodePassword = compileDecoder(NewPassword, 'body');

const refusedRequest: PageRoute['refused'] = ({ form }, { status, message }) => ({
  status,
  title,
  content: status === 404 ? noMailPage(message) : askPage({ email: form['email'], complaint: message }),
});

const refusedLink: PageRoute['refused'] = (_, { status, message }) => ({
  status,
  title,
  content: deadResetPage(message),
});

export const passwordResetPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'public',
    handler: ({ context }) => {
      requireMail(context);
      return { status: 200, title, content: askPage({}) };
    },
    refused: refusedRequest,
  },
  {
    method: 'POST',
    path,
    access: 'public',
    handler: async ({ context, form }) => {
      const email = form['email']?.trim() ?? '';
      const given = decodeRequest({ email });
      if (!given.ok) {
        const problems = problemsOf(given.issues, accountSentences);
        return { status: 422, title, content: askPage({ email, problems }) };
      }
      await askForReset(context, given.value.email);
      return { status: 200, title, content: askedPage(email, RESET_SECONDS / 60) };
    },
    refused: refusedRequest,
  },
  {
    method: 'GET',
    path: linkPath,
    access: 'public',
    handler: async ({ context, path: { token = '' } }) => {
      const { email } = await readReset(context, token);
      return { status: 200, title, content: newPasswordPage(email, {}) };
    },
    refused: refusedLink,
  },
  {
    method: 'POST',
    path: linkPath,
    access: 'public',
    handler: async (input) => setPassword(input),
    refused: refusedLink,
  },
];

async function setPassword({ context, path: { token = '' }, form }: PageInput) {
  const { email } = await readReset(context, token);
  const given = decodePassword({ password: form['password'] ?? '' });
  if (!given.ok) {
    const problems = problemsOf(given.issues, accountSentences);
    return { status: 422, title, content: newPasswordPage(email, problems) };
  }
  const session = await resetPassword(context, token, given.value.password);
  return redirect('/', { 'set-cookie': cookiesOf(session, context.origin) });
}
