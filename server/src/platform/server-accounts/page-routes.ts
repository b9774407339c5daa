/** The page on which a person connects the account that they have at a server behind the gateway. */
import { Forbidden } from '../../errors.ts';
import { type PageInput, type PageRoute, redirect } from '../../http/page-route.ts';
import { cookieOf, setCookie } from '../../http/session-cookie.ts';
import { decideInOrganization } from '../../identity/access.ts';
import { readOrganization } from '../../identity/identify-caller.ts';
import type { SignInUnderWay } from '../../mcp/credentials/authorization-server.ts';
import type { PersonalCredential } from '../../mcp/credentials/settings.ts';
import type { ExternalConnection } from '../../mcp/upstream/connections.ts';
import { actorOf, csrfTokenOf, type OrganizationContext } from '../../platform-context.ts';
import { secondsBetween, type Timestamp } from '../../time.ts';
import { type SeenServer, seeServer } from '../servers/access.ts';
import { problemOfSecret } from '../servers/connection-fields.ts';
import { signedInFooter } from '../sessions/sign-in-page.ts';
import { type ConnectFacts, connectedPage, keyPage, signInPage } from './connect-page.ts';
import { changedMeanwhile, checkPerson, connectAccount, readAccount, settingsOf } from './operations.ts';
import { begin, CALLBACK_PATH, clientOf, finish } from './sign-in.ts';

const path = '/connect/{organization}/{server}';
const title = 'Connect your account';
const COOKIE = 'signalbox_connect';
const VALID_SECONDS = 600;

/** What the browser keeps while the person is at the other server, sealed so that only this server writes it. */
interface Sealed extends SignInUnderWay {
  readonly purpose: 'connect';
  readonly userId: string;
  readonly organization: string;
  readonly server: string;
  readonly begun: Timestamp;
}

interface Asked {
  readonly context: OrganizationContext;
  readonly seen: SeenServer;
  readonly settings: PersonalCredential;
  readonly facts: ConnectFacts;
}

export const serverAccountPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'session',
    handler: async (input) => {
      const asked = await read(input.context, input.path['organization'] ?? '', input.path['server'] ?? '');
      return { status: 200, title, footer: footerOf(input), ...(await pageOf(asked)) };
    },
  },
  {
    method: 'POST',
    path,
    access: 'session',
    handler: async (input) => {
      const asked = await read(input.context, input.path['organization'] ?? '', input.path['server'] ?? '');
      const { context, seen, settings, facts } = asked;
      checkPerson(context);
      if (settings.kind === 'oauth') return signInAt(input, asked);
      const key = input.form['key'] ?? '';
      const problem = problemOfSecret(key);
      if (problem !== undefined) {
        return {
          status: 422,
          title,
          footer: footerOf(input),
          content: keyPage(facts, settings, `The key ${problem}.`),
        };
      }
      await connectAccount(context, seen, { kind: 'key', key });
      return { status: 200, title, footer: footerOf(input), content: connectedPage(facts) };
    },
  },
  {
    method: 'GET',
    path: CALLBACK_PATH,
    access: 'session',
    handler: async (input) => {
      const sealed = unsealed(input);
      const asked = await read(input.context, sealed.organization, sealed.server);
      const { context, seen, settings, facts } = asked;
      checkPerson(context);
      if (settings.kind !== 'oauth') throw changedMeanwhile();
      await finish(context, seen, settings, sealed, new URL(input.address, 'http://localhost').search);
      return {
        status: 200,
        title,
        content: connectedPage(facts),
        footer: footerOf(input),
        headers: { 'set-cookie': keep(input, '', 0) },
      };
    },
  },
];

/** Throws NotFound or Forbidden as the API does. */
async function read(context: PageInput['context'], organization: string, server: string): Promise<Asked> {
  const { caller } = context;
  if (!caller) throw new Forbidden('Sign in first.');
  const decision = decideInOrganization(await readOrganization(context.db, organization, caller.actor), 'member');
  if (!decision.allowed) throw new Forbidden(decision.reason);
  const inside: OrganizationContext = { ...context, caller, organization: decision.organization };
  const seen = await seeServer(inside, server, 'viewer');
  const settings = settingsOf(seen.row);
  const { state, problem } = await readAccount(inside, seen.row);
  const { row } = seen;
  const facts: ConnectFacts = {
    server: row.name,
    organization: inside.organization.name,
    organizationSlug: inside.organization.slug,
    slug: row.slug,
    host: row.kind === 'external' ? new URL((JSON.parse(row.connection) as ExternalConnection).url).host : row.name,
    isConnected: state === 'connected',
    problem,
    csrfToken: csrfTokenOf(context),
  };
  return { context: inside, seen, settings, facts };
}

async function pageOf({ context, seen, settings, facts }: Asked) {
  if (settings.kind === 'key') return { content: keyPage(facts, settings) };
  const { metadata } = await clientOf(context, seen.row, settings);
  const page = new URL(metadata.authorization_endpoint ?? metadata.issuer);
  return { content: signInPage(facts, page.host), mayLeadTo: page.origin };
}

async function signInAt(input: PageInput, { context, seen, settings, facts }: Asked) {
  if (settings.kind !== 'oauth') throw changedMeanwhile();
  const { location, underWay } = await begin(context, await clientOf(context, seen.row, settings));
  const sealed: Sealed = {
    ...underWay,
    purpose: 'connect',
    userId: context.caller.actor.id,
    organization: facts.organizationSlug,
    server: seen.row.id,
    begun: context.now,
  };
  const value = Buffer.from(context.server.encryption.encrypt(JSON.stringify(sealed))).toString('base64url');
  return redirect(location, { 'set-cookie': keep(input, value, VALID_SECONDS) });
}

function footerOf({ context }: PageInput) {
  return signedInFooter(actorOf(context).name, csrfTokenOf(context));
}

/** The cookie of a sign-in under way, sent to these pages only, below whatever path a proxy serves them. */
function keep({ context: { origin } }: PageInput, value: string, maxAgeSeconds: number): string {
  const prefix = URL.parse(origin)?.pathname.replace(/\/$/, '') ?? '';
  return setCookie(COOKIE, value, `${prefix}/connect`, maxAgeSeconds, origin);
}

/** Throws Forbidden for a sign-in that another browser or another person began. */
function unsealed({ context, headers }: PageInput): Sealed {
  const value = cookieOf({ cookie: String(headers['cookie'] ?? '') }, COOKIE);
  const sealed = value === undefined ? undefined : opened(context.server.encryption.decrypt, value);
  const isOwn = sealed?.purpose === 'connect' && sealed.userId === actorOf(context).id;
  if (!isOwn || secondsBetween(sealed.begun, context.now) > VALID_SECONDS) {
    throw new Forbidden('This sign-in did not begin in this browser, or it took too long. Start again.');
  }
  return sealed;
}

function opened(decrypt: (text: string) => string, value: string): Sealed | undefined {
  try {
    return JSON.parse(decrypt(Buffer.from(value, 'base64url').toString())) as Sealed;
  } catch {
    return undefined;
  }
}
