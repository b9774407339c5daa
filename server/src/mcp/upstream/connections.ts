/**
 * Opens the upstream of a server's row. An upstream is kept while the row has the same version, and all callers reuse
 * its connections.
 */

import { ANY, type Hub } from '../../changes/hub.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import { inBackground } from '../../watching/background.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { TokenSource } from './client-credentials.ts';
import type { ExternalConnection } from './external-connection.ts';
import type { HostedServers } from './hosted-servers.ts';
import { fixedCredential, HttpUpstream } from './http-upstream.ts';
import { type Credential, type Upstream, UpstreamError } from './upstream.ts';
import type { OpenedUpstream, UpstreamOwner, Upstreams } from './upstreams.ts';

/** The parts from which connections are made. */
interface ConnectionSources {
  readonly store: Store;
  readonly encryption: Encryption;
  readonly hub: Hub;
}

interface ConnectionOptions {
  /** Decides which addresses the server may connect to on behalf of users. */
  readonly targets: { current(): Promise<TargetPolicy> };
}

interface Open {
  readonly version: number;
  readonly opening: Promise<Upstream>;
  /** Set once it is open. */
  upstream: Upstream | undefined;
  close(): Promise<void>;
}

const findConnection = platformStatement<
  { id: string },
  Pick<Row<'mcp_server'>, 'connection' | 'encrypted_credential' | 'connection_version'>
>((query, given) =>
  query
    .selectFrom('mcp_server')
    .select(['connection', 'encrypted_credential', 'connection_version'])
    .where('id', '=', given.id),
);

export class Connections implements Upstreams {
  readonly #store: Store;
  readonly #encryption: Encryption;
  readonly #hosted: Pick<HostedServers, 'upstreamOf'>;
  readonly #options: ConnectionOptions;
  readonly #open = new Map<string, Open>();

  constructor(
    { store, encryption, hub }: ConnectionSources,
    hosted: Pick<HostedServers, 'upstreamOf'>,
    options: ConnectionOptions,
  ) {
    hub.hear('servers', ANY, (change, serverId) => {
      if (change !== 'connection' && change !== 'deleted') return;
      inBackground('the end of a connection to an MCP server', () => this.forget(serverId));
    });
    this.#store = store;
    this.#encryption = encryption;
    this.#hosted = hosted;
    this.#options = options;
  }

  /** Returns synchronously if it is open. Rejects with UpstreamError. */
  upstreamOf({
    id,
    kind,
    connection_version,
  }: Pick<UpstreamOwner, 'id' | 'kind' | 'connection_version'>): Upstream | Promise<Upstream> {
    if (kind === 'hosted') return this.#hosted.upstreamOf(id);
    const open = this.#open.get(id);
    if (open && open.version >= connection_version) return open.upstream ?? open.opening;
    const opening = this.#openExternal(id);
    const upstream = opening.then(({ upstream }) => upstream);
    const entry: Open = {
      version: connection_version,
      opening: upstream,
      upstream: undefined,
      close: () =>
        opening.then(
          ({ close }) => close(),
          () => {},
        ),
    };
    this.#open.set(id, entry);
    upstream.then(
      (opened) => {
        entry.upstream = opened;
      },
      // The next request repeats a failed opening.
      () => {
        if (this.#open.get(id) === entry) this.#open.delete(id);
      },
    );
    if (open) inBackground('the end of a connection to an MCP server', () => open.close());
    return upstream;
  }

  /** The server was deleted or its connection changed, so open requests are ended. */
  async forget(serverId: string): Promise<void> {
    const open = this.#open.get(serverId);
    this.#open.delete(serverId);
    await open?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.forget(id)));
  }

  async openOnce(connection: ExternalConnection, secret: string): Promise<OpenedUpstream> {
    const policy = await this.#options.targets.current();
    const upstream = await HttpUpstream.open(
      new URL(connection.url),
      {
        ...policy,
        answerSeconds: connection.answerSeconds,
      },
      credentialOf(connection, secret, policy),
    );
    return { upstream, close: () => upstream.close() };
  }

  async #openExternal(id: string): Promise<OpenedUpstream> {
    const row = await this.#store.platform.reads().first(findConnection, { id });
    if (!row) throw new UpstreamError('unavailable', 'This server has been deleted.');
    const secret = row.encrypted_credential === null ? '' : this.#encryption.decrypt(row.encrypted_credential);
    const { upstream, close } = await this.openOnce(JSON.parse(row.connection) as ExternalConnection, secret);
    return { upstream: new CircuitBreaker(upstream), close };
  }
}

function credentialOf({ credential, url }: ExternalConnection, secret: string, policy: TargetPolicy): Credential {
  switch (credential.kind) {
    case 'none':
      return fixedCredential({});
    case 'bearer':
      return fixedCredential({ authorization: `Bearer ${secret}` });
    case 'header':
      return fixedCredential({ [credential.name.toLowerCase()]: secret });
    case 'headers':
      return fixedCredential(JSON.parse(secret) as Record<string, string>);
    case 'client_credentials': {
      const { tokenUrl, clientId, scope } = credential;
      return new TokenSource(
        { tokenUrl, clientId, clientSecret: secret, scope: scope ?? undefined, resource: url },
        policy,
      );
    }
  }
}
