/** The OAuth library, configured for one issuer. It is loaded with the first request that needs it. */
import { generateKeyPair } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { promisify } from 'node:util';
import type Provider from 'oidc-provider';
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import { Unavailable } from '../../errors.ts';
import { ALL_MCP_SCOPES } from '../../identity/callers/oauth-scopes.ts';
import { addressOf } from '../../mcp/gateway/arrive/address.ts';
import type { OAuthPlace } from '../../network/oauth-place.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import type { Html } from '../../pages/html.ts';
import type { Logger } from '../../watching/logger.ts';
import { users } from '../users/queries.ts';
import { adapterFor, type Storage } from './adapter.ts';
import { problemOfClient } from './client-metadata.ts';
import { errorPage } from './error-page.ts';
import { OAUTH_COOKIE_PREFIX } from './library-request.ts';
import { metadataFetch } from './metadata-fetch.ts';

export const FLOW_COOKIE = `${OAUTH_COOKIE_PREFIX}flow` as const;
export const CONSENT_PATH = '/oauth/consent';

const FLOW_SECONDS = 600;
const CODE_SECONDS = 60;
const ACCESS_SECONDS = 3600;
/** Seconds without use after which a client must sign in again. */
export const REFRESH_SECONDS = 30 * 86_400;
/** Seconds after which a client that is used must sign in again. */
export const CONNECTION_SECONDS = 365 * 86_400;

const CACHED_SECONDS = { min: 60, max: 3600 };
const MAX_DOCUMENT_BYTES = 32 * 1024;

interface ProviderParts extends Omit<Storage, 'errors'> {
  readonly logger: Logger;
  readonly targets: { current(): Promise<TargetPolicy> };
  /** False when the sender of the current request has caused too many fetches of documents. */
  mayFetch(request: object): Promise<boolean>;
  /** Headers and text of a page for the person of the current request. */
  render(request: object, title: string, content: Html): { headers: Readonly<Record<string, string>>; text: string };
}

export async function createProvider(place: OAuthPlace, parts: ProviderParts): Promise<Provider> {
  const library = await import('oidc-provider');
  const { store, clock, shareOf } = parts;
  const storage: Storage = { store, clock, shareOf, errors: library.errors };
  /** A page that posts the answer would come from the library, so this response mode is not offered. */
  class WithoutPages extends library.default {
    override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
      if (name !== 'form_post') super.registerResponseMode(name, handler);
    }
  }
  const provider = new WithoutPages(place.issuer, {
    ...configurationOf(place, parts, library),
    adapter: (kind: string) => adapterFor(storage, kind),
    jwks: { keys: [await newKey()] },
  });
  provider.proxy = true;
  const report = (error: unknown) => parts.logger.error({ err: error }, 'request to the authorization server failed');
  provider.on('server_error', (context, error) => {
    report(error);
    if (error instanceof Unavailable) answerLater(context, error);
  });
  const events: EventEmitter = provider;
  events.on('error', report);
  return provider;
}

/** The library treats every unknown error as a fault. Source of the code: RFC 6749, section 4.1.2.1. */
function answerLater(context: KoaContextWithOIDC, { status, headers, message }: Unavailable): void {
  if (context.type === 'application/json') {
    context.body = { error: 'temporarily_unavailable', error_description: message };
  }
  context.status = status;
  context.set(headers);
}

type Library = typeof import('oidc-provider');

function configurationOf(
  place: OAuthPlace,
  parts: ProviderParts,
  { errors, interactionPolicy }: Library,
): Configuration {
  const { Check, Prompt } = interactionPolicy;
  const unanswered = (reason: string) =>
    new Check(reason, 'A person must allow this.', ({ oidc }) => oidc.result?.consent === undefined);
  return {
    scopes: ['offline_access'],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'private_key_jwt'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    cookies: {
      names: {
        session: `${OAUTH_COOKIE_PREFIX}session`,
        interaction: FLOW_COOKIE,
        resume: `${OAUTH_COOKIE_PREFIX}resume`,
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: CACHED_SECONDS,
        allowFetch: (ctx) => parts.mayFetch(ctx.req),
        allowClient: (_ctx, client) => problemOfClient(client.metadata()) === undefined,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => {
          if (oneOf !== undefined) throw new errors.InvalidTarget('Send one resource.');
          throw new errors.InvalidTarget('The parameter resource is missing: it is the address of an MCP server.');
        },
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => {
          if (Array.isArray(ctx.oidc.params?.['resource'])) throw new errors.InvalidTarget('Send one resource.');
          if (!isServerAddress(place, resource)) {
            throw new errors.InvalidTarget(`The resource must be the address of an MCP server below ${place.servers}.`);
          }
          return { scope: ALL_MCP_SCOPES, audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    interactions: {
      policy: ['login', 'consent', 'select_account'].map(
        (name) => new Prompt({ name, requestable: true }, unanswered(`${name}_missing`)),
      ),
      url: (_ctx, { uid }) => `${place.issuer}${CONSENT_PATH}/${uid}`,
    },
    ttl: {
      Interaction: FLOW_SECONDS,
      Session: FLOW_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      AccessToken: ACCESS_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Grant: CONNECTION_SECONDS,
    },
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => true,
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    findAccount: async (_ctx, id) => {
      const user = await users.first(parts.store.platform.reads(), { id });
      return user?.state === 'active' ? { accountId: id, claims: () => ({ sub: id }) } : undefined;
    },
    fetch: metadataFetch(parts.targets),
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
    renderError: (ctx, { error_description, error }) => {
      const { headers, text } = parts.render(ctx.req, 'Sign-in failed', errorPage(error_description ?? error));
      ctx.set(headers);
      ctx.body = text;
    },
  };
}

/**
 * Checks only the form of the address. The consent page checks whether the server exists and whether the person may use
 * it.
 */
function isServerAddress({ servers }: OAuthPlace, resource: string): boolean {
  return (
    resource.startsWith(`${servers}/`) &&
    addressOf(resource.slice(servers.length)) !== undefined &&
    !resource.includes('?')
  );
}

/** The library requires a key for identity tokens, which this server does not issue. */
async function newKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig' } as JWK;
}
