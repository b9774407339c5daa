import { type PageAnswer, type PageInput, type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { beginSession as cookiesOf } from '../../../http/session/session-cookie.ts';
import { type Problems, problemsOf } from '../../../pages/form.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { providerLink } from '../../sign-in/provider-link.ts';
import { accountSentences } from '../sessions/schema.ts';
import { joinPage, newAccountPage, noInvitationPage, otherAddressPage, signInFirstPage } from './invitation-page.ts';
import { acceptInvitation, readInvitation } from './operations.ts';
import { InvitationAccept } from './schema.ts';

const path = '/invitations/{token}';
const title = 'Invitation';
const decode = compileDecoder(InvitationAccept, 'body');

const refused: PageRoute['refused'] = (input, { status, message }) =>
  // The invitation may still be valid: it is for another address, or its account was made a moment ago.
  status === 404
    ? { status, title, content: noInvitationPage(message) }
    : show(input, status).catch(() => ({ status, title, content: noInvitationPage(message) }));

export const invitationPages: readonly PageRoute[] = [
  { method: 'GET', path, access: 'either', handler: (input) => show(input, 200), refused },
  {
    method: 'POST',
    path,
    access: 'either',
    handler: async (input) => {
      const { context, form } = input;
      const token = input.path['token'] ?? '';
      await readInvitation(context, token);
      const name = form['name']?.trim();
      const typed = context.caller ? {} : { name: name || null, password: form['password'] ?? '' };
      const given = decode(typed);
      if (!given.ok) return show(input, 422, name, problemsOf(given.issues, accountSentences));
      const session = await acceptInvitation(context, token, given.value);
      return redirect('/', { 'set-cookie': cookiesOf(session, context.origin) });
    },
    refused,
  },
];

/** The page for the holder of the invitation: a new person, one with an account, or one with another address. */
async function show(input: PageInput, status: number, name?: string, problems: Problems = {}): Promise<PageAnswer> {
  const { caller } = input.context;
  const { email, role, organization_name, account_id } = await readInvitation(input.context, input.path['token'] ?? '');
  const facts = { organization: organization_name, email, role };
  if (caller?.session) {
    const { csrfToken } = caller.session;
    const own = caller.actor.name;
    const content = own === email ? joinPage(facts, csrfToken) : otherAddressPage(facts, own, csrfToken);
    return { status: own === email ? status : 403, title, content };
  }
  const provider = providerLink(input.context.server.config, input.address);
  const content = account_id ? signInFirstPage(facts, input.address) : newAccountPage(facts, name, problems, provider);
  return { status, title, content };
}
