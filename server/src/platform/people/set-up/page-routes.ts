import type { PlatformContext } from '../../../context/platform-context.ts';
import { type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { beginSession as cookiesOf } from '../../../http/session/session-cookie.ts';
import {
  lostWithFirstAccount,
  namingPrivateHosts,
  PRIVATE_TARGETS_CURE,
} from '../../../identity/targets/private-targets.ts';
import { problemsOf } from '../../../pages/form.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { accountSentences } from '../sessions/schema.ts';
import { checkSetUpLink, setUp } from './operations.ts';
import { SetUp } from './schema.ts';
import { deadLinkPage, setUpPage } from './set-up-page.ts';

const path = '/setup';
const title = 'Set up';
const decode = compileDecoder(SetUp, 'body');

const refused: PageRoute['refused'] = (_, { status, message }) => ({ status, title, content: deadLinkPage(message) });

/** A sentence about what stops working with the first account. */
async function lostIn({ server }: PlatformContext): Promise<string | undefined> {
  const lost = await lostWithFirstAccount(server.store, server.encryption, server.config);
  const naming = lost && namingPrivateHosts(lost);
  return naming && `With this account, private targets are refused: ${naming}. ${PRIVATE_TARGETS_CURE}`;
}

async function factsOf(context: PlatformContext) {
  return { lost: await lostIn(context), sendsMail: context.server.mail.isOn };
}

export const setUpPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'public',
    handler: async ({ context, query }) => {
      await checkSetUpLink(context, query['token'] ?? '');
      return { status: 200, title, content: setUpPage(await factsOf(context)) };
    },
    refused,
  },
  {
    method: 'POST',
    path,
    access: 'public',
    handler: async ({ context, query, form }) => {
      const token = query['token'] ?? '';
      await checkSetUpLink(context, token);
      const typed = { name: form['name']?.trim(), email: form['email']?.trim(), password: form['password'] };
      const given = decode(typed);
      if (!given.ok) {
        const problems = problemsOf(given.issues, accountSentences);
        return { status: 422, title, content: setUpPage({ ...typed, problems, ...(await factsOf(context)) }) };
      }
      const session = await setUp(context, token, given.value);
      return redirect('/', { 'set-cookie': cookiesOf(session, context.origin) });
    },
    refused,
  },
];
