/**
 * This gateway as an OAuth client of the authorization server of a server behind it: finds it, registers there, sends
 * people there, and exchanges and renews tokens. Source:
 * modelcontextprotocol.io/specification/2025-11-25/basic/authorization; RFC 9728, 8414, 7591, 8707.
 */
import type { ClientAuth, ClientMetadata, Configuration, ServerMetadata } from 'openid-client';
import { describedClient } from '../../network/client-document.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import { isObject } from '../protocol/message.ts';
import { UpstreamError } from '../upstream/upstream.ts';
import { ASKING_SECONDS, guardedFetch } from './guarded-fetch.ts';
import { findResource } from './protected-resource.ts';
import type { PersonalSignIn, StoredTokens } from './settings.ts';

/** Loaded with the first sign-in. */
const load = () => import('openid-client');

/** The known metadata of the authorization server, and this gateway's client registration there. */
export interface UpstreamClient {
  readonly metadata: ServerMetadata;
  readonly client: ClientMetadata;
  readonly redirectUri: string;
  /** The resource for which tokens are issued; null if the server names none. */
  readonly resource: string | null;
  readonly scope: string | null;
}

interface ClientQuestion {
  /** The address of the server; null for one that runs here. */
  readonly url: string | null;
  readonly signIn: PersonalSignIn;
  readonly clientSecret: string | null;
  readonly redirectUri: string;
  /** The address of this gateway's metadata document; undefined without an address that others can rely on. */
  readonly documentUrl: string | undefined;
}

/** Rejects with UpstreamError, whose message names what the server lacks. */
export async function prepareClient(
  { url, signIn, clientSecret, redirectUri, documentUrl }: ClientQuestion,
  policy: TargetPolicy,
): Promise<UpstreamClient> {
  const fetch = guardedFetch(policy);
  const named = signIn.authorizationServer;
  const found = named === null ? await findResource(url ?? '', fetch) : { issuer: named, resource: url, scope: null };
  const issuer = new URL(found.issuer);
  // Allows http only if the administrator has chosen it for the server or for its authorization server.
  const isInsecure = new URL(named ?? url ?? '').protocol === 'http:';
  const metadata = await findMetadata(issuer, fetch, isInsecure);
  checkMetadata(metadata, isInsecure);
  const readsDocuments = metadata['client_id_metadata_document_supported'] === true;
  let client: ClientMetadata;
  if (signIn.clientId !== null) {
    client = { client_id: signIn.clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
  } else if (readsDocuments && documentUrl !== undefined) {
    client = { client_id: documentUrl, token_endpoint_auth_method: 'none' };
  } else client = await register(metadata, redirectUri, fetch, isInsecure);
  return { metadata, client, redirectUri, resource: found.resource, scope: signIn.scope ?? found.scope };
}

type Fetch = ReturnType<typeof guardedFetch>;

/** Two kinds of metadata are in use, at different addresses. */
async function findMetadata(issuer: URL, fetch: Fetch, isInsecure: boolean): Promise<ServerMetadata> {
  const library = await load();
  const execute = isInsecure ? [library.allowInsecureRequests] : [];
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      const options = { algorithm, execute, timeout: ASKING_SECONDS, [library.customFetch]: fetch };
      const found = await library.discovery(issuer, 'unregistered', undefined, library.None(), options);
      return { ...found.serverMetadata() };
    } catch {
      // The next kind may exist.
    }
  }
  throw new UpstreamError('credential', `The authorization server of this server, ${issuer.host}, cannot be used.`);
}

function checkMetadata(metadata: ServerMetadata, isInsecure: boolean): void {
  const { authorization_endpoint: endpoint, code_challenge_methods_supported: methods } = metadata;
  if (!isSafe(endpoint, isInsecure)) {
    throw new UpstreamError('credential', 'The authorization server of this server has no safe sign-in page.');
  }
  if (!methods?.includes('S256')) {
    throw new UpstreamError('credential', 'The authorization server of this server does not support PKCE with S256.');
  }
}

/** Source: RFC 7591, sections 3.1 and 3.2. */
async function register(
  { registration_endpoint, token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  redirectUri: string,
  fetch: Fetch,
  isInsecure: boolean,
): Promise<ClientMetadata> {
  if (registration_endpoint === undefined) {
    const text = 'The authorization server of this server does not register clients. An administrator must enter';
    throw new UpstreamError('credential', `${text} a client id.`);
  }
  const wanted = ['client_secret_basic', 'client_secret_post', 'none'];
  const method = wanted.find((one) => (methods ?? ['client_secret_basic']).includes(one)) ?? 'none';
  const described = { ...describedClient(redirectUri), token_endpoint_auth_method: method };
  const made = isSafe(registration_endpoint, isInsecure) ? await posted(registration_endpoint, described, fetch) : null;
  if (!made)
    throw new UpstreamError('credential', 'The authorization server of this server did not register this gateway.');
  return { token_endpoint_auth_method: method, ...made };
}

/** The registered client; undefined if the registration failed. */
async function posted(address: string, described: object, fetch: Fetch): Promise<ClientMetadata | undefined> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(described) });
    const made: unknown = answer.status === 201 || answer.status === 200 ? await answer.json() : undefined;
    if (!isObject(made) || typeof made['client_id'] !== 'string') return undefined;
    const { client_secret: secret } = made;
    return secret === undefined || typeof secret === 'string' ? { ...made, client_id: made['client_id'] } : undefined;
  } catch {
    return undefined;
  }
}

function isSafe(address: string | undefined, isInsecure: boolean): boolean {
  const protocol = URL.parse(address ?? '')?.protocol;
  return protocol === 'https:' || (isInsecure && protocol === 'http:');
}

export interface SignInUnderWay {
  readonly state: string;
  readonly verifier: string;
}

/** The address to which the person is sent, and the values that must come back. */
export async function beginSignIn(known: UpstreamClient, policy: TargetPolicy) {
  const library = await load();
  const underWay = { state: library.randomState(), verifier: library.randomPKCECodeVerifier() };
  const location = library.buildAuthorizationUrl(await configurationOf(known, policy), {
    redirect_uri: known.redirectUri,
    state: underWay.state,
    code_challenge: await library.calculatePKCECodeChallenge(underWay.verifier),
    code_challenge_method: 'S256',
    ...(known.scope === null ? {} : { scope: known.scope }),
    ...(known.resource === null ? {} : { resource: known.resource }),
  });
  return { location: location.href, underWay };
}

interface GivenTokens extends StoredTokens {
  /** Lifetime of the access token in seconds; undefined if the server does not give it. */
  readonly seconds: number | undefined;
  readonly scope: string | null;
}

/** Rejects with UpstreamError when the answer does not belong to `underWay`, or is a refusal. */
export async function finishSignIn(
  known: UpstreamClient,
  policy: TargetPolicy,
  url: URL,
  { state, verifier }: SignInUnderWay,
): Promise<GivenTokens> {
  const library = await load();
  try {
    const configuration = await configurationOf(known, policy);
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    return given(await library.authorizationCodeGrant(configuration, url, checks, audienceOf(known)));
  } catch {
    throw new UpstreamError('credential', 'The other server did not confirm the sign-in. Start again.');
  }
}

/** Gets new tokens; `refused` when the person must sign in again. Rejects with UpstreamError. */
export async function renewTokens(
  known: UpstreamClient,
  policy: TargetPolicy,
  refreshToken: string,
): Promise<GivenTokens | 'refused'> {
  const library = await load();
  try {
    const renewed = await library.refreshTokenGrant(
      await configurationOf(known, policy),
      refreshToken,
      audienceOf(known),
    );
    const tokens = given(renewed);
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  } catch (error) {
    const { error: code } = error as { error?: unknown };
    if (code === 'invalid_grant' || code === 'invalid_client' || code === 'unauthorized_client') return 'refused';
    throw new UpstreamError('connection', 'Your sign-in at this server could not be renewed now. Try again.');
  }
}

/** Revokes the tokens at the other server, if it supports that; failures are ignored. */
export async function revokeTokens(known: UpstreamClient, policy: TargetPolicy, tokens: StoredTokens): Promise<void> {
  if (known.metadata.revocation_endpoint === undefined) return;
  const library = await load();
  const configuration = await configurationOf(known, policy);
  const token = tokens.refreshToken ?? tokens.accessToken;
  await library.tokenRevocation(configuration, token).catch(() => {});
}

/** Source: RFC 8707, section 2.2. */
function audienceOf({ resource }: UpstreamClient): Record<string, string> {
  return resource === null ? {} : { resource };
}

async function configurationOf({ metadata, client }: UpstreamClient, policy: TargetPolicy): Promise<Configuration> {
  const library = await load();
  const configuration = new library.Configuration(
    metadata,
    client.client_id,
    client,
    authenticationOf(library, client),
  );
  configuration.timeout = ASKING_SECONDS;
  configuration[library.customFetch] = guardedFetch(policy);
  if (new URL(metadata.issuer).protocol === 'http:') library.allowInsecureRequests(configuration);
  return configuration;
}

function authenticationOf(
  library: Awaited<ReturnType<typeof load>>,
  { client_secret: secret, token_endpoint_auth_method: method }: ClientMetadata,
): ClientAuth {
  if (typeof secret !== 'string') return library.None();
  return method === 'client_secret_post' ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

function given({ access_token, refresh_token, expires_in, scope }: TokenAnswer): GivenTokens {
  const seconds = typeof expires_in === 'number' && expires_in > 0 ? expires_in : undefined;
  return { accessToken: access_token, refreshToken: refresh_token ?? null, seconds, scope: scope ?? null };
}
