/**
 * Sends requests to the API of a Prefect server: credentials, deadlines, retries, and a sentence for each kind of
 * failure.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../../errors.ts';
import { isJsonObject, parseJson } from '../../../values/json.ts';

export interface ApiAddress {
  /** Address of the API, such as `http://127.0.0.1:4200/api`. */
  readonly url: string;
  /** API key of Prefect Cloud, or of a server that checks keys. */
  readonly apiKey?: string | undefined;
  /** `user:password` of a server with basic authentication. */
  readonly authString?: string | undefined;
}

const TRIES = 6;
const DEADLINE_SECONDS = 60;
const MOST_SECONDS_BETWEEN_TRIES = 30;
/** Bytes of one answer. A longer text would exceed the limit of a string once it is decoded. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Statuses after which a retry may succeed: too many requests, a busy database, and a server or proxy that is away. */
const PASSING = new Set([429, 500, 502, 503, 504]);
/** Codes of failures that a retry does not fix. */
const LASTING = /^(ENOTFOUND|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_INVALID)/;

/** A refusal. `status` is 0 if there was no answer. */
export class SourceRefused extends ConfigError {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** An answer too long to be read at once. */
export class AnswerTooLong extends ConfigError {}

type Attempt =
  | { readonly value: unknown }
  | { readonly problem: ConfigError; readonly passes: boolean; readonly seconds: number };

export class ApiClient {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly #credential: 'PREFECT_API_KEY' | 'PREFECT_API_AUTH_STRING' | undefined;
  readonly #headers: Record<string, string>;
  /** Reports why the source is asked again, and when. */
  onWait: (doing: string) => void = () => {};

  /** Throws ConfigError for an address that is not http or https, or that contains credentials. */
  constructor({ url, apiKey, authString }: ApiAddress) {
    this.url = plainAddress(url);
    this.#credential = apiKey ? 'PREFECT_API_KEY' : authString ? 'PREFECT_API_AUTH_STRING' : undefined;
    const authorization = apiKey
      ? `Bearer ${apiKey}`
      : authString && `Basic ${Buffer.from(authString).toString('base64')}`;
    this.#headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  }

  get(path: string, tries = TRIES): Promise<unknown> {
    return this.#ask(path, { method: 'GET' }, tries);
  }

  post(path: string, body: object, tries = TRIES): Promise<unknown> {
    return this.#ask(path, { method: 'POST', body: JSON.stringify(body) }, tries);
  }

  async #ask(path: string, request: RequestInit, tries: number): Promise<unknown> {
    for (let tried = 1; ; tried++) {
      const answer = await this.#try(path, request);
      if ('value' in answer) return answer.value;
      if (!answer.passes || tried >= tries) throw answer.problem;
      const seconds = Math.min(MOST_SECONDS_BETWEEN_TRIES, answer.seconds || 2 ** (tried - 1) / 2);
      this.onWait(`again in ${seconds} s: ${answer.problem.message}`);
      await wait(1000 * seconds);
    }
  }

  async #try(path: string, request: RequestInit, withToken = true): Promise<Attempt> {
    const signal = AbortSignal.timeout(DEADLINE_SECONDS * 1000);
    try {
      const asked = { ...request, headers: this.#headers, signal, redirect: 'manual' } as const;
      const response = await fetch(this.url + path, asked);
      const text = await textOf(response, path);
      if (response.ok) {
        if (isPage(response, text)) return lasting(this.#refusal(path, 200, 'a web page'));
        return { value: parseJson(text) };
      }
      if (withToken && response.status === 403 && /csrf/i.test(text) && (await this.#takeToken())) {
        return this.#try(path, request, false);
      }
      const problem = this.#refusal(path, response.status, isPage(response, text) ? 'a web page' : detailOf(text), {
        location: response.headers.get('location'),
      });
      const seconds = Number(response.headers.get('retry-after')) || 0;
      return { problem, passes: PASSING.has(response.status), seconds };
    } catch (error) {
      if (error instanceof ConfigError) return lasting(error);
      return this.#failure(path, error as Error);
    }
  }

  /**
   * Gets the CSRF token. A server with CSRF protection requires one with each change, and filters are POST requests.
   */
  async #takeToken(): Promise<boolean> {
    const client = randomUUID();
    const answer = await this.#try(`/csrf-token?client=${client}`, { method: 'GET' }, false);
    const token = 'value' in answer && isJsonObject(answer.value) ? answer.value['token'] : undefined;
    if (typeof token !== 'string') return false;
    Object.assign(this.#headers, { 'prefect-csrf-token': token, 'prefect-csrf-client': client });
    return true;
  }

  /** The address without its query, whose tokens mean nothing to a person. */
  #asked(path: string): string {
    return this.url + path.replace(/\?.*/, '');
  }

  #refusal(path: string, status: number, what: string, { location = null as string | null } = {}): SourceRefused {
    const asked = this.#asked(path);
    const sent = this.#credential;
    if (status >= 300 && status < 400) {
      const elsewhere = URL.parse(location ?? '', asked);
      const to = elsewhere ? `${elsewhere.origin}${elsewhere.pathname}` : 'elsewhere';
      return new SourceRefused(`${asked} redirects to ${to}. Give the address that it redirects to.`, status);
    }
    if (what === 'a web page') {
      const advice = 'It is a proxy or a sign-in page. Give the address of the API behind it.';
      return new SourceRefused(`${asked} answered ${status} with a web page and not with JSON. ${advice}`, status);
    }
    if (status === 401 && sent === undefined) {
      const advice = 'Set PREFECT_API_KEY to a key, or PREFECT_API_AUTH_STRING to user:password.';
      return new SourceRefused(`${asked} requires a credential, and none was sent. ${advice}`, status);
    }
    if (status === 401) return new SourceRefused(`${asked} does not accept the value of ${sent}. ${what}`, status);
    if (status === 403) {
      const advice = sent === undefined ? 'Set PREFECT_API_KEY or PREFECT_API_AUTH_STRING.' : `Check ${sent}.`;
      return new SourceRefused(`${asked} may not be read with this credential. ${advice} ${what}`, status);
    }
    return new SourceRefused(`${asked} answered ${status}: ${what}`, status);
  }

  #failure(path: string, { cause, message, name }: Error): Attempt {
    const { code = '' } = (cause ?? {}) as { code?: string };
    const why =
      name === 'TimeoutError'
        ? `it did not answer within ${DEADLINE_SECONDS} seconds`
        : cause instanceof Error
          ? // Node adds advice about itself after a semicolon.
            cause.message.split(';')[0] || code
          : message;
    const problem = new SourceRefused(`${this.#asked(path)} cannot be read: ${why}.${adviceFor(code)}`, 0);
    return { problem, passes: !LASTING.test(code), seconds: 0 };
  }
}

function lasting(problem: ConfigError): Attempt {
  return { problem, passes: false, seconds: 0 };
}

function adviceFor(code: string): string {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return ' It does not use TLS: write http://.';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return ' Give the host name in its certificate.';
  if (code === 'CERT_HAS_EXPIRED') return ' Its certificate has expired: renew it.';
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return ' Set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority (PEM).';
  }
  if (code === 'ECONNREFUSED') return ' No server listens there: check the port, and that the server runs.';
  if (code === 'ENOTFOUND') return ' Check the name of the host.';
  return '';
}

/** Throws AnswerTooLong. */
async function textOf(response: Response, path: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) {
      throw new AnswerTooLong(`The answer of ${path} is longer than ${MOST_BYTES / 1024 / 1024} MB.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function isPage({ headers }: Response, text: string): boolean {
  return /html/.test(headers.get('content-type') ?? '') || /^\s*<(!doctype|html)/i.test(text.slice(0, 100));
}

/** The sentence of an error in the forms of Prefect and of others, without control characters. */
function detailOf(text: string): string {
  const said = (() => {
    try {
      const body = parseJson(text);
      if (!isJsonObject(body)) return text;
      const { detail, exception_message: message, exception_detail: more } = body;
      return (
        [message ?? detail, more]
          .filter((part) => part !== undefined)
          .map(asText)
          .join(' ') || text
      );
    } catch {
      return text;
    }
  })();
  return said.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 300);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function plainAddress(given: string): string {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      `"${given.replace(/\/\/[^/]*@/, '//')}" is not the address of an API, such as http://127.0.0.1:4200/api.`,
    );
  }
  if (url.username || url.password) {
    throw new ConfigError(
      `The address of ${url.host} has credentials in it. Leave them out, and set PREFECT_API_AUTH_STRING to user:password.`,
    );
  }
  const ofPage = /^\/account\/([^/]+)\/workspace\/([^/]+)/.exec(url.pathname);
  if (url.hostname === 'app.prefect.cloud') {
    const [, account = '<account id>', workspace = '<workspace id>'] = ofPage ?? [];
    throw new ConfigError(
      `${url.host} serves pages for people. The API is https://api.prefect.cloud/api/accounts/${account}/workspaces/${workspace}.`,
    );
  }
  if (url.hostname === 'api.prefect.cloud' && !/^\/api\/accounts\/[^/]+\/workspaces\/[^/]+\/?$/.test(url.pathname)) {
    throw new ConfigError(
      'The address of a workspace of Prefect Cloud is https://api.prefect.cloud/api/accounts/<account id>/workspaces/<workspace id>.',
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
