/** The page on which a person connects their account at a server behind the gateway. */

import { actorOf, csrfTokenOf, type OrganizationContext } from '../../../context/platform-context.ts';
import { Forbidden } from '../../../errors.ts';
import { type PageInput, type PageRoute, redirect } from '../../../http/routes/page-route.ts';
import { begunElsewhere, sealedCookie } from '../../../http/session/sealed-cookie.ts';
import { decideInOrganization } from '../../../identity/access/access.ts';
import { readOrganization } from '../../../identity/callers/identify-caller.ts';
import type { SignInUnderWay } from '../../../mcp/credentials/authorization-server.ts';
import type { PersonalCredential } from '../../../mcp/credentials/settings.ts';
import type { ExternalConnection } from '../../../mcp/upstream/external-connection.ts';
import { CALLBACK_PATH } from '../../../network/client-document.ts';
import { signedInFooter } from '../../sign-in/sign-in-page.ts';
import { type SeenServer, seeServer } from '../server/access.ts';
import { problemOfSecret } from '../server/connection-fields.ts';
import { type ConnectFacts, connectedPage, keyPage, signInPage } from './connect-page.ts';
import { changedMeanwhile, checkPerson, connectAccount, readAccount, settingsOf } from './operations.ts';
import { begin, clientOf, finish } from './sign-in.ts';

const path = '/connect/{organization}/{server}';
const title = 'Connect your account';

/** State that the browser keeps while the person is at the other server. */
interface Kept extends SignInUnderWay {
  readonly userId: string;
  readonly organization: string;
  readonly server: string;
}

const cookie = sealedCookie<Kept>('signalbox_connect', '/connect');

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
      const kept = cookie.read(input);
      if (kept.userId !== actorOf(input.context).id) throw begunElsewhere();
      const asked = await read(input.context, kept.organization, kept.server);
      const { context, seen, settings, facts } = asked;
      checkPerson(context);
      if (settings.kind !== 'oauth') throw changedMeanwhile();
      await finish(context, seen, settings, kept, new URL(input.address, 'http://localhost').search);
      return {
        status: 200,
        title,
        content: connectedPage(facts),
        footer: footerOf(input),
        headers: { 'set-cookie': cookie.forget(input) },
      };
    },
  },
];

/** Throws NotFound or Forbidden like the API. */
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
  const place = { userId: context.caller.actor.id, organization: facts.organizationSlug, server: seen.row.id };
  return redirect(location, { 'set-cookie': cookie.keep(input, { ...underWay, ...place }) });
}

function footerOf({ context }: PageInput) {
  return signedInFooter(actorOf(context).name, csrfTokenOf(context));
}
