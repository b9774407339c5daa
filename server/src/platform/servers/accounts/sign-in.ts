/** Signs a person in at the authorization server of a server behind the gateway. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { BadRequest, Unavailable } from '../../../errors.ts';
import {
  beginSignIn,
  finishSignIn,
  prepareClient,
  type SignInUnderWay,
  type UpstreamClient,
} from '../../../mcp/credentials/authorization-server.ts';
import { clientIn } from '../../../mcp/credentials/held-credential.ts';
import { upstreamClients } from '../../../mcp/credentials/queries.ts';
import type { PersonalSignIn } from '../../../mcp/credentials/settings.ts';
import type { ExternalConnection } from '../../../mcp/upstream/external-connection.ts';
import { UpstreamError } from '../../../mcp/upstream/upstream.ts';
import { CALLBACK_PATH, clientDocumentUrl } from '../../../network/client-document.ts';
import type { SeenServer } from '../server/access.ts';
import type { ServerRow } from '../server/queries.ts';
import { connectAccount } from './operations.ts';
import { deleteOtherClient } from './queries.ts';

/**
 * The gateway's registration as a client there, kept for each server and each address of this gateway. Throws
 * Unavailable.
 */
export async function clientOf(
  context: OrganizationContext,
  row: ServerRow,
  signIn: PersonalSignIn,
): Promise<UpstreamClient> {
  const { server, db, now } = context;
  const redirect_uri = returnAddress(context).href;
  const known = await upstreamClients.first(db, { server_id: row.id });
  if (known?.redirect_uri === redirect_uri) return clientIn(known, server.encryption);
  const url = row.kind === 'external' ? (JSON.parse(row.connection) as ExternalConnection).url : null;
  const secret = row.encrypted_client_secret;
  const clientSecret = secret === null ? null : server.encryption.decrypt(secret);
  const documentUrl = clientDocumentUrl(server.config, context.origin);
  const question = { url, signIn, clientSecret, redirectUri: redirect_uri, documentUrl };
  const made = await said(prepareClient(question, await server.targets.current()));
  const encrypted_client = server.encryption.encrypt(JSON.stringify(made));
  await context.transaction(async (tx) => {
    await tx.run(deleteOtherClient, { server_id: row.id, redirect_uri });
    // If two register at the same moment, one registration is kept.
    await upstreamClients.insertUnlessThere(tx, { server_id: row.id, created: now, redirect_uri, encrypted_client });
  });
  const stored = await upstreamClients.first(db, { server_id: row.id });
  return stored ? clientIn(stored, server.encryption) : made;
}

export async function begin(context: OrganizationContext, client: UpstreamClient) {
  return said(beginSignIn(client, await context.server.targets.current()));
}

/** `search` is the query with which the other server sent the browser back. */
export async function finish(
  context: OrganizationContext,
  seen: SeenServer,
  signIn: PersonalSignIn,
  underWay: SignInUnderWay,
  search: string,
): Promise<void> {
  const client = await clientOf(context, seen.row, signIn);
  const url = returnAddress(context);
  url.search = search;
  const given = await said(finishSignIn(client, await context.server.targets.current(), url, underWay));
  const { accessToken, refreshToken, seconds, scope } = given;
  await connectAccount(context, seen, { kind: 'oauth', tokens: { accessToken, refreshToken }, seconds, scope });
}

function returnAddress({ origin }: OrganizationContext): URL {
  const address = URL.parse(origin + CALLBACK_PATH);
  if (!address) throw new BadRequest('The Host header is not a valid host name.');
  return address;
}

async function said<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof UpstreamError ? new Unavailable(error.message) : error;
  }
}
