/** Looks for faults of the identity provider that an operator can correct, without signing a person in. */
import type { Configuration } from 'openid-client';
import type { OidcConfig } from '../../../config.ts';
import { connectionErrorOf } from '../../../outbound/connection-error.ts';
import { discover } from './provider.ts';

/** Sentences for the operator. They never contain the client secret. */
export interface ProviderFault {
  readonly says: string;
  readonly cure: string;
}

/** A code that no provider has issued. */
const UNKNOWN_CODE = 'signalbox-doctor';
const CURE = 'Correct SIGNALBOX_OIDC_ISSUER, or check that the provider runs and that this machine reaches it.';

/** Reads the provider's description and sends it the client's credentials. Undefined if there is no fault. */
export async function faultOfProvider(oidc: OidcConfig, redirectUri: string): Promise<ProviderFault | undefined> {
  const { issuer } = oidc;
  let configuration: Configuration;
  try {
    configuration = await discover(oidc);
  } catch (error) {
    const description = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    return (
      issuerFaultOf(issuer, error) ?? {
        says: `The identity provider cannot be used. ${reasonOf(error)} Asked: ${description}.`,
        cure: CURE,
      }
    );
  }
  return faultOfClient(oidc, configuration, redirectUri);
}

interface LibraryError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  /** The provider's OAuth error code. */
  readonly error?: string;
  readonly cause?: unknown;
}

/**
 * Redeems a code that does not exist. A provider checks the client before the code, so it refuses a wrong or expired
 * secret with another error than the unknown code. Source: RFC 6749, section 5.2.
 */
async function faultOfClient(
  { issuer, clientId, clientSecret }: OidcConfig,
  configuration: Configuration,
  redirectUri: string,
): Promise<ProviderFault | undefined> {
  const client = await import('openid-client');
  try {
    const code_verifier = client.randomPKCECodeVerifier();
    const parameters = { code: UNKNOWN_CODE, redirect_uri: redirectUri, code_verifier };
    await client.genericGrantRequest(configuration, 'authorization_code', parameters);
    return undefined;
  } catch (given) {
    const { code, status, error = '' } = given as LibraryError;
    const isAnswer = code === 'OAUTH_RESPONSE_BODY_ERROR' || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE';
    if (!isAnswer) {
      const says = `The token endpoint of the identity provider cannot be used. ${reasonOf(given)}`;
      return { says: `${says} Asked: ${configuration.serverMetadata().token_endpoint}.`, cure: CURE };
    }
    if (status !== 401 && !['invalid_client', 'unauthorized_client'].includes(error)) return undefined;
    const why = clientSecret
      ? 'its secret is wrong or has expired, or it is unknown'
      : 'it is unknown, or needs a secret';
    return {
      says: `The identity provider ${issuer} refuses the client "${clientId}": ${why}. Nobody can sign in through it.`,
      cure: 'Set SIGNALBOX_OIDC_CLIENT_ID and SIGNALBOX_OIDC_CLIENT_SECRET to those that the provider has for this server.',
    };
  }
}

function issuerFaultOf(issuer: string, given: unknown): ProviderFault | undefined {
  const { code, cause } = given as LibraryError;
  const { body, attribute } = (cause ?? {}) as { body?: { issuer?: unknown }; attribute?: unknown };
  if (code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' || attribute !== 'issuer') return undefined;
  const said = String(body?.issuer).slice(0, 200);
  return {
    says: `The identity provider at ${issuer} calls itself ${said}, so its sign-ins are refused.`,
    cure: `Set SIGNALBOX_OIDC_ISSUER=${said} if that is your provider.`,
  };
}

/** For a failed connection, the library's own message says only "fetch failed". */
function reasonOf(given: unknown): string {
  const { code, name, message } = given as LibraryError;
  if (code === 'OAUTH_TIMEOUT' || name === 'TimeoutError') return 'It does not answer in time.';
  if (name === 'TypeError' && message === 'fetch failed') return connectionErrorOf(given).message;
  return `Its answer is not valid: ${message}.`;
}
