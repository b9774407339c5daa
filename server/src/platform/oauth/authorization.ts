/** The authorization server: the OAuth library with the limits of this server. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { AuthorizationServer, ProtocolRequest } from '../../context/authorization-server.ts';
import type { Server } from '../../context/context.ts';
import { TooManyRequests, Unavailable } from '../../errors.ts';
import { addressOf, servingPath } from '../../mcp/gateway/arrive/address.ts';
import { clientNetwork, customerNetwork, plainAddress } from '../../network/addresses.ts';
import type { OAuthPlace } from '../../network/oauth-place.ts';
import type { CountedAttempt, Limit } from '../../rates/attempts.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import { addSeconds, secondsBetween } from '../../values/time.ts';
import { UNUSED_CLIENT_SECONDS } from '../connections/delete-old.ts';
import { givenIn, normalMetadata, problemOfClient } from './client-metadata.ts';
import { libraryRequest } from './library-request.ts';
import { createProvider } from './provider.ts';
import { findOldestUnused, findServerAt, listOldOfShare, listUnusedClients, oauthClients } from './queries.ts';

/** Addresses of this server that people use; there are few. */
const MOST_ISSUERS = 8;
/** Registered clients that no person has used yet. The retention service removes them after a day. */
const MOST_UNUSED_CLIENTS = 10_000;
/** Like `MOST_UNUSED_CLIENTS`, for one network. A new client then replaces the oldest. */
const MOST_UNUSED_OF_SHARE = 100;

/** Limits of requests by callers without a credential, each of which stores rows or sends requests. */
const limits = {
  registration: { name: 'client-registration', atOnce: 20, everySeconds: 60 },
  share: { name: 'client-registration-share', atOnce: 200, everySeconds: 6 },
  authorization: { name: 'authorization', atOnce: 60, everySeconds: 5 },
  document: { name: 'client-document', atOnce: 20, everySeconds: 20 },
} as const satisfies Record<string, Limit>;

export class Authorization implements AuthorizationServer {
  readonly #server: Server;
  readonly #providers = new BoundedMap<string, Promise<Provider>>({ name: 'issuers', most: MOST_ISSUERS });
  /** The network of the client that is being registered. */
  readonly #share = new AsyncLocalStorage<string>();
  /** The requests that the library is answering. */
  readonly #given = new WeakMap<object, ProtocolRequest>();

  constructor(server: Server) {
    this.#server = server;
  }

  async answer(given: ProtocolRequest, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(given.request.url ?? '/', 'http://localhost');
    if (pathname === '/oauth/authorize') await this.#count('authorization', given.address);
    const checked = pathname === '/oauth/register' ? await this.#checkRegistration(given, response) : given;
    if (!checked) return;
    const provider = await this.providerOf(given.place);
    const request = libraryRequest(checked);
    this.#given.set(request, given);
    const share = customerNetwork(plainAddress(given.address));
    await this.#share.run(share, () => provider.callback()(request as IncomingMessage, response));
  }

  /** An address of no server is answered like that of a server, so that the answer does not reveal which exist. */
  async mayServe(organization: string, server: string): Promise<boolean> {
    if (!addressOf(servingPath(organization, server))) return true;
    const found = await this.#server.store.platform.reads().first(findServerAt, { organization, server });
    return found === undefined || found.authentication === 'platform';
  }

  /** The library for an issuer. */
  providerOf(place: OAuthPlace): Promise<Provider> {
    const key = `${place.issuer} ${place.servers}`;
    const { store, clock, logger, targets } = this.#server;
    return this.#providers.getOrMake(key, () =>
      createProvider(place, {
        store,
        clock,
        logger,
        targets,
        shareOf: () => this.#share.getStore() ?? null,
        mayFetch: (request) => this.#mayFetch(request),
        render: (request, title, content) => this.#requestOf(request).render(title, content),
      }),
    );
  }

  /** Undefined when the registration was refused. Otherwise the request with the metadata that this server stores. */
  async #checkRegistration(given: ProtocolRequest, response: ServerResponse): Promise<ProtocolRequest | undefined> {
    const sent = objectIn(given.body);
    const metadata = sent && givenIn(sent);
    const problem = metadata
      ? problemOfClient(metadata)
      : { error: 'invalid_client_metadata', error_description: 'The body must be a JSON object.' };
    if (!metadata || problem) {
      const body = JSON.stringify(problem);
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      response.writeHead(400, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
      return undefined;
    }
    await this.#count('registration', given.address);
    await this.#makeRoom(customerNetwork(plainAddress(given.address)));
    const body = Buffer.from(JSON.stringify(normalMetadata({ ...metadata, client_id: undefined })));
    return { ...given, contentType: 'application/json', body };
  }

  /**
   * Makes room for one more client of the share. Throws Unavailable when the clients of other networks have taken all
   * places.
   */
  async #makeRoom(share: string): Promise<void> {
    const { store, clock } = this.#server;
    const limit = MOST_UNUSED_CLIENTS;
    const unused = await store.platform.reads().all(listUnusedClients, { limit });
    const isFull = unused.length >= limit;
    const kept = isFull ? 0 : MOST_UNUSED_OF_SHARE - 1;
    const old = await store.platform.reads().all(listOldOfShare, { share, kept });
    // If no place is left, only the oldest of its own clients is removed.
    const leaving = isFull ? old.slice(-1) : old;
    if (isFull && leaving.length === 0) {
      const oldest = await store.platform.reads().first(findOldestUnused, {});
      const now = clock.now();
      const wait = oldest ? secondsBetween(now, addSeconds(oldest.created, UNUSED_CLIENT_SECONDS)) : 0;
      const retryAfterSeconds = Math.max(1, Math.ceil(wait));
      throw new Unavailable('Too many clients have registered today. Try again later.', { retryAfterSeconds });
    }
    await store.platform.transaction(async (tx) => {
      // A client that has been used in the meantime stays.
      for (const { id } of leaving) await oauthClients.removeAll(tx, { id, used_at: null });
    });
  }

  /** Throws TooManyRequests when the address has sent too many requests. */
  async #count(limit: 'registration' | 'authorization' | 'document', address: string): Promise<void> {
    const plain = plainAddress(address);
    const counted: CountedAttempt[] = [{ limit: limits[limit], subject: clientNetwork(plain) }];
    if (limit === 'registration') counted.push({ limit: limits.share, subject: customerNetwork(plain) });
    await this.#server.attempts.begin(counted);
  }

  async #mayFetch(request: object): Promise<boolean> {
    try {
      await this.#count('document', this.#requestOf(request).address);
      return true;
    } catch (error) {
      if (error instanceof TooManyRequests) return false;
      throw error;
    }
  }

  #requestOf(request: object): ProtocolRequest {
    const given = this.#given.get(request);
    if (!given) throw new Error('The library renders a page for no request.');
    return given;
  }
}

function objectIn(body: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body?.toString('utf8') ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
