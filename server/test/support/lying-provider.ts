/**
 * An OpenID provider that is honest except for the lies that a test gives it. Each lever changes one part of an honest
 * answer, so a refusal is due to that part alone.
 */
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config, OidcConfig } from '../../src/config.ts';
import type { Browser } from './browser.ts';
import { clientId, clientSecret, type Person } from './identity-provider.ts';

type Members = Record<string, unknown>;

export interface Lies {
  /** Its discovery document. */
  discovery?(honest: Members): unknown;
  /** The published keys. */
  keys?(honest: Members[]): unknown;
  /** The parameters that the browser brings back. */
  back?(honest: URLSearchParams): void;
  /** Head and claims of the ID token, before it is signed. */
  head?(honest: Members): Members;
  claims?(honest: Members): Members;
  /** The signature over the first two parts of the ID token, in base64url. */
  signature?(input: string, honest: string): string;
  /** The whole ID token. */
  idToken?(honest: string): unknown;
  /** The answer that holds the tokens. */
  tokens?(honest: Members): unknown;
  userinfo?(honest: Members): unknown;
  /** Answers a request in place of the provider where it returns true. */
  answer?(path: string, response: ServerResponse): boolean;
}

interface Granted {
  readonly person: Person;
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

export class LyingProvider {
  readonly issuer: string;
  /** Its false answers. */
  lies: Lies = {};
  /** The person at the browser. */
  person: Person = { sub: 'nobody' };
  /** True: the ID token has the person's name and email address; false: only `/userinfo` has them. */
  tellsInToken = true;
  /** The errors of all exchanges of a code. */
  readonly faults: string[] = [];
  readonly #server: Server;
  readonly #granted = new Map<string, Granted>();
  readonly #tokens = new Map<string, Person>();
  #key = newKey();

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<LyingProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LyingProvider(server);
  }

  get privateKey(): KeyObject {
    return this.#key.privateKey;
  }

  get publicKey(): KeyObject {
    return this.#key.publicKey;
  }

  /** Signs with another key from now on, under another name. */
  rotate(): void {
    this.#key = newKey();
  }

  /** Where the browser is redirected after the person signed in at `location`. */
  visit(location: string): string {
    const asked = new URL(location).searchParams;
    const code = randomBytes(16).toString('hex');
    this.#granted.set(code, {
      person: this.person,
      nonce: asked.get('nonce'),
      challenge: asked.get('code_challenge_method') === 'S256' ? asked.get('code_challenge') : null,
      redirectUri: asked.get('redirect_uri'),
    });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', this.issuer);
    this.lies.back?.(back.searchParams);
    return back.href;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.issuer).pathname;
    let body = '';
    for await (const chunk of request) body += chunk;
    if (this.lies.answer?.(path, response)) return;
    const send = (value: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (path === '/.well-known/openid-configuration') {
      const honest = this.#description();
      return send(this.lies.discovery?.(honest) ?? honest);
    }
    if (path === '/jwks') {
      const honest = [
        { ...this.#key.publicKey.export({ format: 'jwk' }), kid: this.#key.id, use: 'sig', alg: 'RS256' },
      ];
      return send({ keys: this.lies.keys?.(honest) ?? honest });
    }
    if (path === '/token') {
      const found = this.#exchange(new URLSearchParams(body), request.headers.authorization);
      if (!found) return send({ error: 'invalid_grant' }, 400);
      const honest = this.#issue(found);
      return send(this.lies.tokens?.(honest) ?? honest);
    }
    if (path === '/userinfo') {
      const person = this.#tokens.get(request.headers.authorization?.split(' ')[1] ?? '');
      if (!person) return send({ error: 'invalid_token' }, 401);
      return send(this.lies.userinfo?.({ ...person }) ?? person);
    }
    send({ error: 'not_found' }, 404);
  }

  #description(): Members {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** Accepts each code once, for its browser, client and address. */
  #exchange(given: URLSearchParams, authorization: string | undefined): Granted | undefined {
    const code = given.get('code') ?? '';
    const granted = this.#granted.get(code);
    this.#granted.delete(code);
    if (!granted) return undefined;
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const basic = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
    const isClient = given.get('client_secret') === clientSecret || authorization === basic;
    if (challenge !== granted.challenge) this.faults.push('code_verifier');
    if (given.get('redirect_uri') !== granted.redirectUri) this.faults.push('redirect_uri');
    if (!isClient) this.faults.push('client');
    return granted;
  }

  #issue({ person, nonce }: Granted): Members {
    const access_token = randomBytes(16).toString('hex');
    this.#tokens.set(access_token, person);
    const now = Math.floor(Date.now() / 1000);
    const told = this.tellsInToken ? person : { sub: person.sub };
    const honest = { iss: this.issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...told };
    const claims = this.lies.claims?.(honest) ?? honest;
    const head = this.lies.head?.({ alg: 'RS256', kid: this.#key.id }) ?? { alg: 'RS256', kid: this.#key.id };
    const input = `${encoded(head)}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(input), this.#key.privateKey).toString('base64url');
    const idToken = `${input}.${this.lies.signature?.(input, signature) ?? signature}`;
    const id_token = this.lies.idToken ? this.lies.idToken(idToken) : idToken;
    return { access_token, token_type: 'Bearer', expires_in: 300, id_token };
  }
}

function newKey() {
  return { id: randomBytes(4).toString('hex'), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Settings of a server that trusts the provider. */
export function optionsOf(provider: LyingProvider, others: Partial<OidcConfig> = {}): Partial<Config> {
  const settings = {
    issuer: provider.issuer,
    clientId,
    clientSecret,
    label: 'Example',
    scopes: 'openid email profile',
  };
  return {
    oidc: { ...settings, emailDomains: [], groupsClaim: 'groups', groupRoles: [], newUsers: 'invited', ...others },
  };
}

/** Goes to the provider and comes back; answers the path at which the browser arrives. */
export async function goBack(provider: LyingProvider, browser: Browser, next?: string): Promise<string> {
  const begun = await browser.open(`/sign-in/oidc${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`);
  assert.equal(begun.status, 303, begun.text);
  const { pathname, search } = new URL(provider.visit(String(begun.headers['location'])));
  return pathname + search;
}
