/**
 * The connection of one client's requests to a source: stateless, or in a session that is opened on behalf of the
 * client.
 */

import type { LogLevel } from '../../protocol/log-level.ts';
import type { MessageId } from '../../protocol/message.ts';
import type { ClientSession } from '../../translation/client-session.ts';
import { ask } from '../../upstream/ask.ts';
import { openSession } from '../../upstream/open-session.ts';
import { type Upstream, UpstreamError } from '../../upstream/upstream.ts';
import type { RemixSource } from '../composition/selection.ts';
import { type FoundSource, naming, type RemixClient, type SourceRow, type Sources } from './sources.ts';

export interface Link {
  readonly row: SourceRow;
  readonly upstream: Upstream;
  /** The headers of the session; none if requests are stateless. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Links {
  /** The current row of the source. Rejects with UpstreamError. */
  find(source: RemixSource): Promise<FoundSource>;
  /** Rejects with UpstreamError. */
  reach(source: RemixSource, row: SourceRow): Promise<Link>;
  /** The source no longer knows the session of this link, so the next request opens another one. */
  forget(source: RemixSource, link: Link): void;
}

/** Requests of the stateless revision. */
export class StatelessLinks implements Links {
  readonly #sources: Sources;
  readonly #client: RemixClient;

  constructor(sources: Sources, client: RemixClient) {
    this.#sources = sources;
    this.#client = client;
  }

  find(source: RemixSource): Promise<FoundSource> {
    return this.#sources.find(source, this.#client);
  }

  async reach(_source: RemixSource, row: SourceRow): Promise<Link> {
    return { row, upstream: await this.#sources.reach(row, this.#client), headers: {} };
  }

  forget(): void {}
}

const OPENING_SECONDS = 30;
const TELLING_SECONDS = 30;

interface OpenLink extends Link {
  readonly offersLogging: boolean;
}

/**
 * The sessions of one client with the sources of a remix. Each opens with the first request that needs it, on behalf of
 * the client and with its capabilities, and opens again when its source has forgotten it or has another connection.
 */
export class SessionLinks implements Links {
  readonly #sources: Sources;
  readonly #client: RemixClient;
  readonly #session: ClientSession;
  readonly #open = new Map<number, { readonly upstream: Upstream; readonly link: Promise<OpenLink> }>();
  /** Open requests by the client's id, so that a cancellation finds its source. */
  readonly underWay = new Map<MessageId, RemixSource>();
  #logLevel: LogLevel | undefined;

  constructor(sources: Sources, client: RemixClient, session: ClientSession) {
    this.#sources = sources;
    this.#client = client;
    this.#session = session;
  }

  find(source: RemixSource): Promise<FoundSource> {
    return this.#sources.find(source, this.#client);
  }

  async reach({ key }: RemixSource, row: SourceRow): Promise<Link> {
    const upstream = await this.#sources.reach(row, this.#client);
    const open = this.#open.get(key);
    if (open?.upstream === upstream) return open.link;
    const link = this.#begin(row, upstream);
    const entry = { upstream, link };
    this.#open.set(key, entry);
    link.catch(() => {
      if (this.#open.get(key) === entry) this.#open.delete(key);
    });
    return link;
  }

  forget({ key }: RemixSource, link: Link): void {
    const open = this.#open.get(key);
    open?.link.then(
      (known) => {
        if (known === link && this.#open.get(key) === open) this.#open.delete(key);
      },
      () => {},
    );
  }

  /** Sends a message to the sources that have a session, and ignores their answers. */
  tellAll(message: Readonly<Record<string, unknown>>): void {
    for (const { link } of this.#open.values()) {
      link.then(
        (known) => tell(known, message),
        () => {},
      );
    }
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    for (const { link } of this.#open.values()) {
      link.then(
        (known) => this.#tellLogLevel(known),
        () => {},
      );
    }
  }

  /** Ends the sessions at the sources. */
  end(): void {
    for (const { link } of this.#open.values()) {
      link.then(
        ({ upstream, headers }) => {
          if (headers['mcp-session-id'] === undefined) return;
          ask(upstream, 'DELETE', headers, undefined, TELLING_SECONDS).catch(() => {});
        },
        () => {},
      );
    }
    this.#open.clear();
  }

  async #begin(row: SourceRow, upstream: Upstream): Promise<OpenLink> {
    const { client: info, capabilities } = this.#session;
    const patience = { firstAnswerSeconds: OPENING_SECONDS, seconds: OPENING_SECONDS };
    try {
      const { session } = await openSession(upstream, { info, capabilities }, patience);
      if (!session) throw new UpstreamError('answer', 'The server does not open a session.');
      const offered = session.result['capabilities'] as Readonly<Record<string, unknown>> | undefined;
      const link = { row, upstream, headers: session.headers, offersLogging: offered?.['logging'] !== undefined };
      this.#tellLogLevel(link);
      return link;
    } catch (error) {
      throw naming(row.name, error);
    }
  }

  #tellLogLevel(link: OpenLink): void {
    if (this.#logLevel === undefined || !link.offersLogging) return;
    const params = { level: this.#logLevel };
    tell(link, { id: 'signalbox-log-level', method: 'logging/setLevel', params });
  }
}

function tell({ upstream, headers }: Link, message: Readonly<Record<string, unknown>>): void {
  ask(upstream, 'POST', headers, { jsonrpc: '2.0', ...message }, TELLING_SECONDS).catch(() => {});
}
