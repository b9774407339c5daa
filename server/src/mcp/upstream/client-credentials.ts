/**
 * Access tokens by the OAuth 2.1 grant `client_credentials`, fetched once and kept until shortly before they expire.
 * Requests that need one at the same moment wait for the same fetch. Source: RFC 6749, section 4.4; `resource` of RFC
 * 8707.
 */
import type { TargetPolicy } from '../../outbound/guard.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { send } from '../../outbound/send.ts';
import { type Credential, UpstreamError } from './upstream.ts';

interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | undefined;
  /** Address of the server that the token is for. */
  readonly resource: string;
}

const TIMEOUT_SECONDS = 15;
/** Assumed lifetime of a token without `expires_in`. */
const DEFAULT_SECONDS = 300;
/** A token is renewed this long before it expires. */
const MARGIN_SECONDS = 30;

export class TokenSource implements Credential {
  readonly names = ['authorization'];
  readonly #given: ClientCredentials;
  readonly #policy: TargetPolicy;
  #token: { readonly headers: { readonly authorization: string }; readonly until: number } | undefined;
  #fetching: Promise<Readonly<Record<string, string>>> | undefined;

  constructor(given: ClientCredentials, policy: TargetPolicy) {
    this.#given = given;
    this.#policy = policy;
  }

  /** The header for a request, synchronously while the token is valid. Rejects with UpstreamError. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    if (this.#token && performance.now() < this.#token.until) return this.#token.headers;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Makes the next request fetch another token, unless one has been fetched since. */
  rejected({ authorization }: Readonly<Record<string, string>>): boolean {
    if (this.#token?.headers.authorization === authorization) this.#token = undefined;
    return true;
  }

  async #fetch(): Promise<Readonly<Record<string, string>>> {
    const { tokenUrl, clientId, clientSecret, scope, resource } = this.#given;
    const form = new URLSearchParams({ grant_type: 'client_credentials', resource, ...(scope ? { scope } : {}) });
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
    const request = {
      method: 'POST',
      url: tokenUrl,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: form.toString(),
    };
    const answer = await send(request, { ...this.#policy, timeoutSeconds: TIMEOUT_SECONDS }).catch((error: unknown) => {
      const reason = error instanceof OutboundError ? ` ${error.message}` : '';
      throw new UpstreamError('connection', `The token for this server could not be fetched.${reason}`);
    });
    const { access_token: token, expires_in: seconds } = jsonOf(answer.body);
    if (answer.status !== 200 || typeof token !== 'string') {
      throw new UpstreamError('connection', `The token endpoint of this server answered with status ${answer.status}.`);
    }
    const holds = typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_SECONDS;
    const headers = { authorization: `Bearer ${token}` };
    this.#token = { headers, until: performance.now() + Math.max(1, holds - MARGIN_SECONDS) * 1000 };
    return headers;
  }
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
