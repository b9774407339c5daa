/**
 * Chooses how a request reaches a server whose manifest says which ways of the protocol it speaks. Where client and server
 * speak the same one, nothing stands between them; the same holds for a server whose manifest was never read.
 */
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Manifest } from '../discovery.ts';
import type { Era } from '../era.ts';
import type { ServerFacts } from '../server-access.ts';
import { LegacyOverModern } from './legacy-over-modern.ts';
import { ModernOverLegacy } from './modern-over-legacy.ts';

const findManifest = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'manifest' | 'manifest_version'>>(
  (query, given) => query.selectFrom('mcp_server').select(['manifest', 'manifest_version']).where('id', '=', given.id),
);

/** Translations that are kept: a session of the server for each actor. */
const MAX_KEPT = 2000;

export class Translations {
  readonly #store: Store;
  readonly #eras = new Map<string, { readonly version: number; readonly eras: readonly Era[] }>();
  readonly #kept = new Map<string, { readonly upstream: Upstream; readonly translated: Upstream }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The same upstream, or one that speaks the client's way. At once where the manifest's version is known. */
  translate(upstream: Upstream, server: ServerFacts, actorId: string, era: Era): Upstream | Promise<Upstream> {
    if (server.manifest_version === 0) return upstream;
    const known = this.#eras.get(server.id);
    if (known?.version !== server.manifest_version) {
      return this.#readEras(server).then((eras) => this.#choose(upstream, server, actorId, era, eras));
    }
    return this.#choose(upstream, server, actorId, era, known.eras);
  }

  #choose(upstream: Upstream, { id }: ServerFacts, actorId: string, era: Era, eras: readonly Era[]): Upstream {
    if (eras.length === 0 || eras.includes(era)) return upstream;
    const key = `${id} ${actorId} ${era}`;
    const kept = this.#kept.get(key);
    // Another connection to the server knows nothing of what was open in the one before.
    if (kept?.upstream === upstream) return kept.translated;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const translated = era === 'modern' ? new ModernOverLegacy(upstream) : new LegacyOverModern(upstream);
    this.#kept.set(key, { upstream, translated });
    return translated;
  }

  async #readEras({ id }: ServerFacts): Promise<readonly Era[]> {
    const row = await this.#store.reads(0).first(findManifest, { id });
    const eras = row?.manifest ? (JSON.parse(row.manifest) as Manifest).eras : [];
    if (row) this.#eras.set(id, { version: row.manifest_version, eras });
    return eras;
  }
}
