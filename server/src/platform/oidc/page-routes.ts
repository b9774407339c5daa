import { BadRequest, Forbidden, notFound } from '../../errors.ts';
import { type PageInput, type PageRoute, redirect } from '../../http/page-route.ts';
import { cookieOf, beginSession as sessionCookiesOf, setCookie } from '../../http/session-cookie.ts';
import { clientNetwork, plainAddress } from '../../network/client-route.ts';
import { safeNext } from '../../pages/next.ts';
import { secondsBetween, type Timestamp } from '../../time.ts';
import { providerLink } from '../sessions/provider-link.ts';
import { signInPage } from '../sessions/sign-in-page.ts';
import { signInWithIdentity } from './operations.ts';
import { beginAtProvider, finishAtProvider, type SignInUnderWay } from './provider.ts';

const path = '/sign-in/oidc';
const title = 'Sign in';
const COOKIE = 'signalbox_oidc';
const VALID_SECONDS = 600;

/** The state that the browser keeps while the person is at the provider, sealed so that only this server writes it. */
interface Sealed extends SignInUnderWay {
  readonly purpose: 'oidc';
  readonly next: string;
  readonly begun: Timestamp;
}

const refused: PageRoute['refused'] = (input, { status, message }) => ({
  status,
  title,
  content: signInPage({ complaint: message, provider: providerLink(input.context.server.config, input.query['next']) }),
  headers: { 'set-cookie': keep(input, '', 0) },
});

export const oidcPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'public',
    handler: async (input) => {
      const { server, now } = input.context;
      const { location, underWay } = await beginAtProvider(oidcOf(input), server.logger, returnAddress(input).href);
      const sealed: Sealed = { ...underWay, purpose: 'oidc', next: safeNext(input.query['next']), begun: now };
      const value = Buffer.from(server.encryption.encrypt(JSON.stringify(sealed))).toString('base64url');
      return redirect(location, { 'set-cookie': keep(input, value, VALID_SECONDS) });
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
      const underWay = unsealed(input);
      const returned = { url, underWay, client: clientNetwork(plainAddress(context.address)) };
      const identity = await finishAtProvider(oidc, context.server.logger, returned, context.now);
      const session = await signInWithIdentity(context, oidc, identity);
      return redirect(safeNext(underWay.next), {
        'set-cookie': [...sessionCookiesOf(session, context.origin), keep(input, '', 0)],
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

/** The cookie of a sign-in under way, sent to these pages only, below whatever path a proxy serves them. */
function keep({ context: { origin } }: PageInput, value: string, maxAgeSeconds: number): string {
  const prefix = URL.parse(origin)?.pathname.replace(/\/$/, '') ?? '';
  return setCookie(COOKIE, value, prefix + path, maxAgeSeconds, origin);
}

function unsealed({ context, headers }: PageInput): Sealed {
  const value = cookieOf({ cookie: String(headers['cookie'] ?? '') }, COOKIE);
  const sealed = value === undefined ? undefined : read(context.server.encryption.decrypt, value);
  if (sealed?.purpose !== 'oidc' || secondsBetween(sealed.begun, context.now) > VALID_SECONDS) {
    throw new Forbidden('This sign-in did not begin in this browser, or it took too long. Start again.');
  }
  return sealed;
}

function read(decrypt: (text: string) => string, value: string): Sealed | undefined {
  try {
    return JSON.parse(decrypt(Buffer.from(value, 'base64url').toString())) as Sealed;
  } catch {
    return undefined;
  }
}
