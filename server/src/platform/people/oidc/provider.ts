/**
 * Signs a person in at the identity provider: authorization code with PKCE, state and nonce. Source: OpenID Connect
 * Core 1.0.
 */
import { createHash } from 'node:crypto';
import type { Configuration, CustomFetchOptions, IDToken } from 'openid-client';
import type { OidcConfig } from '../../../config.ts';
import { Forbidden, Unavailable } from '../../../errors.ts';
import { Gate } from '../../../fairness/gate.ts';
import { isEmailAddress, normalEmail } from '../../../identity/people/email-address.ts';
import { responseOf } from '../../../outbound/foreign-answer.ts';
import { microsecondsOf, type Timestamp } from '../../../values/time.ts';
import type { Logger } from '../../../watching/logger.ts';

/** Loaded at the first sign-in through a provider: most servers have none. */
const load = () => import('openid-client');

/** Limit for each request to the provider, including its answer. */
const TIMEOUT_SECONDS = 10;
/** Sign-ins that wait for the provider at the same time. Without a limit, a slow provider would let them pile up. */
const MAX_WAITING = 100;
/** Waiting sign-ins of one client. */
const MAX_WAITING_OF_CLIENT = 20;
/** More than the few kilobytes of a provider's description, its keys or a person. */
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_AHEAD_SECONDS = 300;
/** Allowed difference between the clocks of the provider and the database. */
const TOLERANCE_SECONDS = 30;
/** The library uses this machine's clock, which may be wrong by days, so `checkTimes` checks the times instead. */
const LIBRARY_TOLERANCE_SECONDS = 100 * 365 * 86_400;
/** Source: OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT_LENGTH = 255;

/** Values that must come back from the provider with the person; the browser keeps them sealed. */
export interface SignInUnderWay {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person's identity, as the provider gives it. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The address in the form that `normalEmail` gives; undefined if the text is not an address. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** Empty if no setting needs them. */
  readonly groups: readonly string[];
}

/** Configurations by settings, so that the provider's description is read once, and again only after a failure. */
const configurations = new WeakMap<OidcConfig, Promise<Configuration>>();

/** The waiting sign-ins, by settings and client. */
const waiting = new WeakMap<OidcConfig, Gate>();

/**
 * The provider's address to which the person is sent. Throws Unavailable when the provider does not answer properly.
 */
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

/** An answer of the provider that a browser brings back. */
interface ReturnedAnswer {
  /** The address to which the provider sent the person back. */
  readonly url: URL;
  /** The network of the browser. */
  readonly client: string;
  readonly underWay: SignInUnderWay;
}

/**
 * The identity that the provider asserts. Throws Forbidden when the answer does not belong to `underWay`, was used
 * before, or comes from elsewhere, and Unavailable when too many sign-ins wait for the provider.
 */
export async function finishAtProvider(
  oidc: OidcConfig,
  logger: Logger,
  returned: ReturnedAnswer,
  now: Timestamp,
): Promise<ProvidedIdentity> {
  const places =
    waiting.get(oidc) ??
    new Gate({ name: 'sign-ins at a provider', places: MAX_WAITING, levels: [{ most: MAX_WAITING_OF_CLIENT }] });
  waiting.set(oidc, places);
  const release = places.take([returned.client]);
  if (!release) throw new Unavailable('Too many people are signing in. Try again.');
  try {
    return await askProvider(oidc, logger, returned, now);
  } finally {
    release();
  }
}

async function askProvider(
  oidc: OidcConfig,
  logger: Logger,
  { url, underWay }: ReturnedAnswer,
  now: Timestamp,
): Promise<ProvidedIdentity> {
  const client = await load();
  const configuration = await configurationOf(oidc, logger);
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: underWay.state,
      expectedNonce: underWay.nonce,
      pkceCodeVerifier: underWay.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    checkAuthorizedParty(claims.azp, oidc.clientId);
    checkTimes(claims, now);
    checkAccessTokenHash(claims['at_hash'], tokens.id_token ?? '', tokens.access_token);
    // Many providers give the address only at this endpoint.
    const isTold = claims['email'] !== undefined && claims['email_verified'] !== undefined;
    const asksForGroups = oidc.groupRoles.length > 0 && claims[oidc.groupsClaim] === undefined;
    const asks = (!isTold || asksForGroups) && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
    const told = { ...claims, ...more, iss: claims.iss, sub: claims.sub };
    return { ...identityOf(told), groups: groupsIn(told, oidc) };
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
    throw new Unavailable('The identity provider cannot be reached, or does not match the configuration.');
  });
  configurations.set(oidc, found);
  return found;
}

/** Reads the provider's own description. Throws errors of the library and of the connection. */
export async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<Configuration> {
  const client = await load();
  const isLocal = issuer.startsWith('http:');
  const authentication = clientSecret ? undefined : client.None();
  const metadata = {
    ...(clientSecret ? { client_secret: clientSecret } : {}),
    [client.clockTolerance]: LIBRARY_TOLERANCE_SECONDS,
  };
  const configuration = await client.discovery(new URL(issuer), clientId, metadata, authentication, {
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: fetchLimited,
    // Signatures are checked although the tokens come straight from the provider.
    execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
  });
  checkAuthorizationEndpoint(configuration.serverMetadata().authorization_endpoint, isLocal);
  return configuration;
}

/** The endpoint must be secure: people are sent there with the parameters that begin their sign-in. */
function checkAuthorizationEndpoint(endpoint: unknown, isLocal: boolean): void {
  const protocol = typeof endpoint === 'string' ? URL.parse(endpoint)?.protocol : undefined;
  if (protocol === 'https:' || (isLocal && protocol === 'http:')) return;
  throw new Error('the authorization endpoint is missing, or is not an https address');
}

/** Stops reading an answer that is longer than any provider needs, before it fills the memory. */
async function fetchLimited(url: string, options: CustomFetchOptions): Promise<Response> {
  const answer = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = answer;
  return responseOf(status, headers, Buffer.concat(chunks));
}

/** The library checks it only if there are several audiences. Source: OpenID Connect Core 1.0, section 3.1.3.7. */
function checkAuthorizedParty(said: unknown, clientId: string): void {
  if (said === undefined || said === clientId) return;
  throw new Error('the ID token was issued to another client');
}

/**
 * A token that was issued some minutes in the future may have been prepared in advance, so it is refused. The library
 * has checked the types.
 */
function checkTimes({ iat, exp, nbf = 0 }: Pick<IDToken, 'iat' | 'exp' | 'nbf'>, now: Timestamp): void {
  const seconds = microsecondsOf(now) / 1_000_000;
  if (exp <= seconds - TOLERANCE_SECONDS) throw new Error('the ID token has expired');
  if (nbf > seconds + TOLERANCE_SECONDS) throw new Error('the ID token is not valid yet');
  if (iat > seconds + MAX_AHEAD_SECONDS) throw new Error('the ID token was issued in the future');
}

/**
 * Checks that the access token belongs to the ID token, if the provider gives its hash. Source: OpenID Connect Core
 * 1.0, section 3.1.3.6.
 */
function checkAccessTokenHash(said: unknown, idToken: string, accessToken: string): void {
  if (said === undefined) return;
  const head = JSON.parse(Buffer.from(idToken.split('.', 1)[0] ?? '', 'base64url').toString()) as { alg: string };
  const digest = createHash(`sha${/\d{3}$/.exec(head.alg)?.[0] ?? 512}`)
    .update(accessToken)
    .digest();
  if (said === digest.subarray(0, digest.length / 2).toString('base64url')) return;
  throw new Error('the access token is not the one that the ID token names');
}

/**
 * A person without the claim is in no group. If the provider keeps a person's groups elsewhere, no decision is
 * possible.
 */
function groupsIn(claims: Readonly<Record<string, unknown>>, { groupRoles, groupsClaim }: OidcConfig): string[] {
  if (groupRoles.length === 0) return [];
  const elsewhere = claims['_claim_names'];
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim)) {
    throw new Error(`the provider does not send the claim ${groupsClaim}, because the person is in too many groups`);
  }
  const said = claims[groupsClaim];
  return [said].flat().filter((group) => typeof group === 'string');
}

function identityOf(claims: Readonly<Record<string, unknown>>): Omit<ProvidedIdentity, 'groups'> {
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string) : undefined);
  const [issuer, subject, email = ''] = [text('iss'), text('sub'), text('email')];
  if (!issuer || !subject || subject.length > MAX_SUBJECT_LENGTH || /\p{Cc}/u.test(subject)) {
    throw new Error('the subject is missing, too long, or contains control characters');
  }
  return {
    issuer,
    subject,
    email: isEmailAddress(email) ? normalEmail(email) : undefined,
    isEmailVerified: claims['email_verified'] === true,
    name:
      text('name')
        ?.replaceAll(/\p{Cc}/gu, ' ')
        .trim()
        .slice(0, 200)
        .toWellFormed()
        .trim() || null,
  };
}

/** Describes an error without the content of requests and answers, which may contain tokens. */
function reasonOf(error: unknown): string {
  const { name, message, code, error: told } = error as Error & { code?: string; error?: string };
  return [name, code, told, message].filter((word) => typeof word === 'string' && word !== '').join(': ');
}
