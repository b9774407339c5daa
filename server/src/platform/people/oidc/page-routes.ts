import { BadRequest, notFound } from '../../../errors.ts';
import { type PageInput, type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { sealedCookie } from '../../../http/session/sealed-cookie.ts';
import { beginSession as sessionCookiesOf } from '../../../http/session/session-cookie.ts';
import { clientNetwork, plainAddress } from '../../../network/addresses.ts';
import { safeNext } from '../../../pages/next.ts';
import { waysOf } from '../../sign-in/provider-link.ts';
import { signInPage } from '../../sign-in/sign-in-page.ts';
import { signInWithIdentity } from './operations.ts';
import { beginAtProvider, finishAtProvider, type SignInUnderWay } from './provider.ts';

const path = '/sign-in/oidc';
const title = 'Sign in';

/** State that the browser keeps while the person is at the provider. */
interface Kept extends SignInUnderWay {
  readonly next: string;
}

const cookie = sealedCookie<Kept>('signalbox_oidc', path);

const refused: PageRoute['refused'] = (input, { status, message }) => ({
  status,
  title,
  content: signInPage({ complaint: message, ...waysOf(input.context.server, input.query['next']) }),
  headers: { 'set-cookie': cookie.forget(input) },
});

export const oidcPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'public',
    handler: async (input) => {
      const { server } = input.context;
      const { location, underWay } = await beginAtProvider(oidcOf(input), server.logger, returnAddress(input).href);
      const kept = { ...underWay, next: safeNext(input.query['next']) };
      return redirect(location, { 'set-cookie': cookie.keep(input, kept) });
    },
    refused,
  },
  {
    method: 'GET',
    path: `${path}/callback`,
    access: 'public',
    handler: async (input) => {
      const { context } = input;
      const oidc = oidcOf(input);
      const url = returnAddress(input);
      url.search = new URL(input.address, url).search;
      const underWay = cookie.read(input);
      const returned = { url, underWay, client: clientNetwork(plainAddress(context.address)) };
      const identity = await finishAtProvider(oidc, context.server.logger, returned, context.now);
      const session = await signInWithIdentity(context, oidc, identity);
      return redirect(safeNext(underWay.next), {
        'set-cookie': [...sessionCookiesOf(session, context.origin), cookie.forget(input)],
      });
    },
    refused,
  },
];

function oidcOf({ context }: PageInput) {
  return context.server.config.oidc ?? notFound('No identity provider is configured.');
}

function returnAddress({ context }: PageInput): URL {
  const address = `${context.origin}${path}/callback`;
  if (!URL.canParse(address)) throw new BadRequest('The Host header is not a valid host name.');
  return new URL(address);
}
