import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Manifest } from './discovery.ts';
import { KeptByVersion } from './kept-by-version.ts';

/** The part of a manifest that the gateway needs for each request. */
export type ManifestFacts = Pick<Manifest, 'eras' | 'unknown'>;

/** The columns of a server's row that identify its manifest. */
type ManifestOwner = Pick<Row<'mcp_server'>, 'id' | 'manifest_version'>;

const NOTHING_KNOWN: ManifestFacts = { eras: [], unknown: {} };

const findManifest = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'manifest' | 'manifest_version'>>(
  (query, given) => query.selectFrom('mcp_server').select(['manifest', 'manifest_version']).where('id', '=', given.id),
);

/** Facts about servers, from their manifests. */
export class Manifests {
  readonly #store: Store;
  readonly #kept = new KeptByVersion<ManifestFacts>('manifests');

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns synchronously when the version is cached, or when the manifest was never read. */
  factsOf({ id, manifest_version }: ManifestOwner): ManifestFacts | Promise<ManifestFacts> {
    if (manifest_version === 0) return NOTHING_KNOWN;
    return this.#kept.get(id, manifest_version) ?? this.#read(id);
  }

  async #read(id: string): Promise<ManifestFacts> {
    const row = await this.#store.platform.reads().first(findManifest, { id });
    if (!row?.manifest) return NOTHING_KNOWN;
    const { eras, unknown = {} } = JSON.parse(row.manifest) as Manifest;
    this.#kept.keep(id, row.manifest_version, { eras, unknown });
    return { eras, unknown };
  }
}
