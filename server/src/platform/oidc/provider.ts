/** Talks to the identity provider: authorization code with PKCE, state and nonce. Source: OpenID Connect Core 1.0. */
import type { Configuration } from 'openid-client';
import type { OidcConfig } from '../../config.ts';
import { Forbidden, Unavailable } from '../../errors.ts';
import type { Logger } from '../../logger.ts';

/** Loaded when somebody first comes this way: most servers have no provider. */
const load = () => import('openid-client');

const TIMEOUT_SECONDS = 10;

/** What must come back from the provider with the person; kept by the browser, sealed. */
export interface SignInUnderWay {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is, as the provider says. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** By settings, so that the provider's own description is read once and again only after a failure. */
const configurations = new WeakMap<OidcConfig, Promise<Configuration>>();

/** The provider's address to send the person to. Throws Unavailable when the provider does not answer as one. */
export async function beginAtProvider(oidc: OidcConfig, logger: Logger, redirectUri: string) {
  const client = await load();
  const configuration = await configurationOf(oidc, logger);
  const underWay = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: oidc.scopes,
    state: underWay.state,
    nonce: underWay.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(underWay.verifier),
    code_challenge_method: 'S256',
  });
  return { location: location.href, underWay };
}

/**
 * The identity behind the address that the provider sent the person back to. Throws Forbidden when the answer does not
 * belong to `underWay`, was used before, or comes from elsewhere.
 */
export async function finishAtProvider(
  oidc: OidcConfig,
  logger: Logger,
  returned: URL,
  underWay: SignInUnderWay,
): Promise<ProvidedIdentity> {
  const client = await load();
  const configuration = await configurationOf(oidc, logger);
  try {
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      expectedState: underWay.state,
      expectedNonce: underWay.nonce,
      pkceCodeVerifier: underWay.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    // Many providers tell the address at this endpoint only.
    const isTold = claims['email'] !== undefined && claims['email_verified'] !== undefined;
    const asks = !isTold && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
    return identityOf({ ...claims, ...more, iss: claims.iss, sub: claims.sub });
  } catch (error) {
    logger.warn({ reason: reasonOf(error) }, 'a sign-in through the identity provider was refused');
    throw new Forbidden('The identity provider did not confirm the sign-in. Start again.');
  }
}

function configurationOf(oidc: OidcConfig, logger: Logger): Promise<Configuration> {
  const known = configurations.get(oidc);
  if (known !== undefined) return known;
  const found = discover(oidc).catch((error: unknown) => {
    configurations.delete(oidc);
    logger.warn({ reason: reasonOf(error) }, 'the identity provider cannot be used');
    throw new Unavailable('The identity provider cannot be reached, or is not the one that is configured.');
  });
  configurations.set(oidc, found);
  return found;
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<Configuration> {
  const client = await load();
  const isLocal = issuer.startsWith('http:');
  const authentication = clientSecret ? undefined : client.None();
  return client.discovery(new URL(issuer), clientId, clientSecret || undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    // Signatures are checked although the tokens come straight from the provider.
    execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
  });
}

function identityOf(claims: Readonly<Record<string, unknown>>): ProvidedIdentity {
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string) : undefined);
  return {
    issuer: text('iss') ?? '',
    subject: text('sub') ?? '',
    email: text('email')?.toLowerCase(),
    isEmailVerified: claims['email_verified'] === true,
    name: text('name')?.trim().slice(0, 200) || null,
  };
}

/** Without what was sent or answered: it may hold tokens. */
function reasonOf(error: unknown): string {
  const { name, message, code, error: told } = error as Error & { code?: string; error?: string };
  return [name, code, told, message].filter((word) => typeof word === 'string' && word !== '').join(': ');
}
