/**
 * Remixes: servers that are composed of others. Each acts as one upstream, so that sessions, policy, records and
 * answers work as for any server.
 */
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { Manifest } from '../manifest/discovery.ts';
import { KeptByVersion } from '../manifest/kept-by-version.ts';
import type { Manifests } from '../manifest/manifests.ts';
import { type Message, messageOf } from '../protocol/message.ts';
import type { Translations } from '../translation/translations.ts';
import { type Upstream, UpstreamError, type UpstreamRequest } from '../upstream/upstream.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { Forwarding, type ForwardingOptions } from './calls/forwarding.ts';
import { ModernClient } from './clients/modern-client.ts';
import { SessionClient } from './clients/session-client.ts';
import { RemixSessions } from './clients/sessions.ts';
import { composedCapabilities } from './composition/composed-manifest.ts';
import { Composition } from './composition/composition.ts';
import type { Remix } from './composition/remix.ts';
import type { Selection } from './composition/selection.ts';
import { StatelessLinks } from './sources/links.ts';
import { type RemixClient, Sources } from './sources/sources.ts';

/** The columns that identify a remix and the versions of its compiled form. */
type RemixOwner = Pick<Row<'mcp_server'>, 'id' | 'organization_id' | 'connection_version' | 'manifest_version'>;

interface RemixCaller extends Pick<RemixClient, 'caller' | 'era'>, Pick<ForwardingOptions, 'routed'> {}

interface RemixParts {
  readonly store: Store;
  readonly encryption: Encryption;
  readonly upstreams: Pick<Upstreams, 'upstreamOf'>;
}

const findRemix = platformStatement<
  { id: string },
  Pick<Row<'mcp_server'>, 'name' | 'description' | 'connection' | 'manifest'>
>((query, given) =>
  query
    .selectFrom('mcp_server')
    .select(['name', 'description', 'connection', 'manifest'])
    .where('id', '=', given.id)
    .where('kind', '=', 'remix'),
);

export class Remixes {
  readonly #store: Store;
  readonly #encryption: Encryption;
  readonly #sources: Sources;
  readonly #sessions = new RemixSessions();
  readonly #kept = new KeptByVersion<Remix>('remixes');

  constructor(parts: RemixParts, manifests: Manifests, translations: Translations) {
    this.#store = parts.store;
    this.#encryption = parts.encryption;
    this.#sources = new Sources(parts, manifests, translations);
  }

  /** The remix as one upstream for a request of this caller. Rejects with UpstreamError. */
  async upstreamOf(owner: RemixOwner, { caller, era, routed }: RemixCaller): Promise<Upstream> {
    const remix = this.#kept.get(owner.id, versionOf(owner)) ?? (await this.#read(owner));
    const client: RemixClient = { organizationId: owner.organization_id, caller, era };
    const shared = { remix, era, encryption: this.#encryption, routed };
    if (era === 'modern') {
      const links = new StatelessLinks(this.#sources, client);
      const modern = new ModernClient(remix, links, new Forwarding({ ...shared, links }));
      return { send: (request, sink) => modern.send(request, messageIn(request), sink) };
    }
    const legacy = new SessionClient(remix, (session) => {
      const links = this.#sessions.linksOf(owner.id, session, this.#sources, client);
      const end = () => this.#sessions.end(owner.id, session, client);
      return { links, forwarding: new Forwarding({ ...shared, links }), end };
    });
    return { send: (request, sink) => legacy.send(request, messageIn(request), sink) };
  }

  async #read(owner: RemixOwner): Promise<Remix> {
    const row = await this.#store.platform.reads().first(findRemix, { id: owner.id });
    if (!row) throw new UpstreamError('unavailable', 'This server has been deleted.');
    const { name, description } = row;
    const composition = new Composition(JSON.parse(row.connection) as Selection);
    const manifest = row.manifest === null ? undefined : (JSON.parse(row.manifest) as Manifest);
    const capabilities = manifest?.capabilities ?? composedCapabilities(composition, []);
    const remix = { id: owner.id, name, description, composition, capabilities };
    this.#kept.keep(owner.id, versionOf(owner), remix);
    return remix;
  }
}

/** Rises with each change of the selection or of the manifests of the sources. */
function versionOf({ connection_version, manifest_version }: RemixOwner): number {
  return connection_version + manifest_version;
}

/** The message of a request that the gateway has screened; undefined for a batch and without a body. */
function messageIn({ body }: UpstreamRequest): Message | undefined {
  return body === null ? undefined : messageOf(JSON.parse(body.toString('utf8')));
}
