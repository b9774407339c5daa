/** Lets a person decide whether a client may use an MCP server on their behalf. */
import type Provider from 'oidc-provider';
import { actorOf, type PlatformContext } from '../../context/platform-context.ts';
import type { PlatformDb } from '../../database/store.ts';
import { BadRequest, Conflict, Forbidden, found, Gone, notFound } from '../../errors.ts';
import { decide, type Role } from '../../identity/access/access.ts';
import { type McpScope, mcpScopesOf } from '../../identity/callers/oauth-scopes.ts';
import { addressOf } from '../../mcp/gateway/arrive/address.ts';
import { FIRST_ID, newTimeOrderedId } from '../../values/id.ts';
import { addSeconds } from '../../values/time.ts';
import { audit } from '../connections/operations.ts';
import { connections, listConnections } from '../connections/queries.ts';
import { findStanding } from '../servers/server/queries.ts';
import { holdSession } from '../users/hold-session.ts';
import { CONNECTION_SECONDS } from './provider.ts';
import { findServerAt, oauthClients, type ServerAtAddress } from './queries.ts';

/** A person with this many connections must end one first. */
const MOST_CONNECTIONS = 200;

const NO_SERVER = 'There is no server at this address.';
const EXPIRED = 'This sign-in has expired or began in another browser. Start again from the program that opened it.';

export interface Asked {
  readonly clientId: string;
  /** The client's own description. */
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly McpScope[];
  readonly server: ServerAtAddress;
  /** The person's role on the server. */
  readonly role: Role;
}

type Flow = InstanceType<Provider['Interaction']>;

/** The sign-in with this name that this browser began. Throws Gone when there is none. */
export async function findFlowOf(provider: Provider, name: string, cookie: string | undefined): Promise<Flow> {
  const flow = cookie === name ? await provider.Interaction.find(name) : undefined;
  if (!flow) throw new Gone(EXPIRED);
  return flow;
}

/**
 * The permission that the client requests from the signed-in person. Throws NotFound if the address is not of a server
 * that the person may know of, and Forbidden if the person may not use it.
 */
export async function readAsked(
  context: PlatformContext,
  provider: Provider,
  flow: Flow,
  servers: string,
): Promise<Asked> {
  const { client_id, redirect_uri, resource, scope } = flow.params;
  if (typeof client_id !== 'string' || typeof redirect_uri !== 'string' || typeof resource !== 'string') {
    throw new BadRequest('The request of the client is not complete.');
  }
  const client = found(await provider.Client.find(client_id), 'The client is no longer registered here.');
  const place = await readServer(context.db, actorOf(context).id, resource.slice(servers.length));
  return {
    clientId: client_id,
    clientName: client.clientName ?? 'A program without a name',
    redirectUri: redirect_uri,
    resource,
    scopes: mcpScopesOf(typeof scope === 'string' ? scope : undefined),
    ...place,
  };
}

async function readServer(db: PlatformDb, actor_id: string, path: string): Promise<Pick<Asked, 'server' | 'role'>> {
  const address = addressOf(path);
  const server = found(address && (await db.first(findServerAt, address)), NO_SERVER);
  const { organization_id, id: server_id } = server;
  const standing = await db.first(findStanding, { organization_id, server_id, actor_id });
  const decision = decide(
    {
      credential: 'valid',
      actorState: standing?.state ?? 'active',
      resource: {
        defaultRole: server.default_role as Role | null,
        visibility: server.visibility === 'concealed' ? 'concealed' : 'discoverable',
      },
      organizationRole: standing?.organization_role ?? null,
      grant: standing?.granted_role ?? null,
    },
    'viewer',
  );
  if (!decision.allowed) {
    if (decision.status === 404) notFound(NO_SERVER);
    throw new Forbidden('You have no access to this server. Ask an administrator of its organization.');
  }
  if (server.authentication !== 'platform') {
    throw new Forbidden('This server does not let clients sign in with the browser. Use an API key.');
  }
  return { server, role: decision.role };
}

/** Connects the client and continues its sign-in. Returns the next address of the browser. */
export async function allowClient(context: PlatformContext, flow: Flow, asked: Asked): Promise<string> {
  const { now } = context;
  const { id: user_id } = actorOf(context);
  const id = newTimeOrderedId();
  await context.transaction(async (tx) => {
    await holdSession(context, tx);
    const known = await tx.all(listConnections, { user_id, now, cursor: FIRST_ID, limit: MOST_CONNECTIONS });
    if (known.length >= MOST_CONNECTIONS) {
      throw new Conflict(`You have ${MOST_CONNECTIONS} connected clients, the maximum. End some at /account.`);
    }
    await connections.insert(tx, {
      id,
      created: now,
      user_id,
      organization_id: asked.server.organization_id,
      server_id: asked.server.id,
      client_id: asked.clientId,
      client_name: asked.clientName,
      redirect_uri: asked.redirectUri,
      resource: asked.resource,
      scope: asked.scopes.join(' '),
      expires_at: addSeconds(now, CONNECTION_SECONDS),
      last_used_at: null,
    });
    await oauthClients.changeAll(tx, { id: asked.clientId }, { used_at: now });
    const { server, clientName: client, clientId: client_id, scopes } = asked;
    await audit(context, tx, 'connect', server, { connection: id, client, client_id, scope: scopes.join(' ') });
  });
  return goOn(flow, { login: { accountId: user_id, remember: false }, consent: { grantId: id }, select_account: {} });
}

/** Reports the person's refusal to the client. Returns the next address of the browser. */
export function refuseClient(flow: Flow): Promise<string> {
  return goOn(flow, { error: 'access_denied', error_description: 'The person refused.' });
}

async function goOn(flow: Flow, result: Flow['result']): Promise<string> {
  flow.result = result;
  await flow.persist();
  return flow.returnTo;
}
