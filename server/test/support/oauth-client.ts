/** An MCP client that a person signs in with a browser, step by step, against a server that listens. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
}

/** Sends a request and follows no redirect. */
export async function fetchOnce(address: string, given: RequestInit = {}): Promise<Sent> {
  const answer = await fetch(address, { redirect: 'manual', ...given });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A browser that keeps cookies by their names and paths, and posts the forms of pages. */
export class Visitor {
  readonly #cookies = new Map<string, { value: string; path: string }>();
  #csrfToken = '';

  async open(address: string): Promise<Sent> {
    return this.#send(address, {});
  }

  /** Posts fields with the CSRF token of the page that was opened last. */
  async post(address: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Sent> {
    return this.#send(address, {
      method: 'POST',
      body: new URLSearchParams({ csrf_token: this.#csrfToken, ...fields }),
      headers: { origin: new URL(address).origin, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  async signIn(origin: string, email: string, password: string): Promise<void> {
    const answer = await this.post(`${origin}/sign-in`, { email, password });
    assert.equal(answer.status, 303, answer.text);
  }

  async #send(address: string, given: RequestInit): Promise<Sent> {
    const { pathname } = new URL(address);
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await fetchOnce(address, { ...given, headers: { accept: 'text/html', cookie, ...given.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
    this.#csrfToken = /name="csrf_token" value="([^"]*)"/.exec(answer.text)?.[1] ?? this.#csrfToken;
    return answer;
  }
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface ClientOptions {
  readonly origin: string;
  /** The address of the MCP server. */
  readonly resource: string;
  readonly redirectUri: string;
}

/** The parameters of an authorization; a test replaces or removes (undefined) what it wants to be wrong. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export class OAuthClient {
  readonly options: ClientOptions;
  clientId = '';
  pkce = newPkce();
  state = randomBytes(8).toString('hex');

  constructor(options: ClientOptions, clientId = '') {
    this.options = options;
    this.clientId = clientId;
  }

  async register(more: Record<string, unknown> = {}): Promise<Sent> {
    const answer = await fetchOnce(`${this.options.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Test client',
        redirect_uris: [this.options.redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        ...more,
      }),
    });
    this.clientId = answer.body?.client_id ?? '';
    return answer;
  }

  /** Where the client sends the browser. */
  authorizationUrl(replaced: Parameters = {}): string {
    const parameters = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.options.redirectUri,
      resource: this.options.resource,
      scope: 'mcp:read mcp:call',
      state: this.state,
      code_challenge: this.pkce.challenge,
      code_challenge_method: 'S256',
      ...replaced,
    };
    return `${this.options.origin}/oauth/authorize?${query(parameters)}`;
  }

  /** Opens the consent page; its address, with the page. */
  async begin(visitor: Visitor, replaced: Parameters = {}): Promise<{ address: string; page: Sent }> {
    const started = await visitor.open(this.authorizationUrl(replaced));
    assert.equal(started.status, 303, started.text);
    const address = started.headers.get('location') ?? '';
    assert.match(address, /\/oauth\/consent\//, address);
    return { address, page: await visitor.open(address) };
  }

  /** The person allows it, or not; where the browser is sent back to the client. */
  async decide(visitor: Visitor, address: string, decision = 'allow'): Promise<URL> {
    const decided = await visitor.post(address, { decision });
    assert.equal(decided.status, 303, decided.text);
    const resumed = await visitor.open(decided.headers.get('location') ?? '');
    assert.equal(resumed.status, 303, resumed.text);
    return new URL(resumed.headers.get('location') ?? '');
  }

  /** From the first address to the code. */
  async codeFor(visitor: Visitor, replaced: Parameters = {}): Promise<string> {
    const { address, page } = await this.begin(visitor, replaced);
    assert.equal(page.status, 200, page.text);
    const back = await this.decide(visitor, address);
    assert.equal(back.searchParams.get('state'), this.state);
    assert.equal(back.searchParams.get('iss'), this.options.origin);
    return back.searchParams.get('code') ?? '';
  }

  token(parameters: Parameters): Promise<Sent> {
    return fetchOnce(`${this.options.origin}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: query({ client_id: this.clientId, ...parameters }),
    });
  }

  exchange(code: string, replaced: Parameters = {}): Promise<Sent> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.options.redirectUri,
      code_verifier: this.pkce.verifier,
      resource: this.options.resource,
      ...replaced,
    });
  }

  refresh(refresh_token: string, replaced: Parameters = {}): Promise<Sent> {
    return this.token({ grant_type: 'refresh_token', refresh_token, resource: this.options.resource, ...replaced });
  }
}

function query(parameters: Parameters): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
