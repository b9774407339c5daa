import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { Manifest } from '../../manifest/discovery.ts';
import type { ServerFacts } from '../arrive/server-access.ts';

/** The part of a manifest that the gateway needs for each request. */
export type ManifestFacts = Pick<Manifest, 'eras' | 'unknown'>;

const NOTHING_KNOWN: ManifestFacts = { eras: [], unknown: {} };
const MAX_KEPT = 2000;

const findManifest = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'manifest' | 'manifest_version'>>(
  (query, given) => query.selectFrom('mcp_server').select(['manifest', 'manifest_version']).where('id', '=', given.id),
);

/** Facts about servers, by the version of their manifest, which is read for each request. */
export class Manifests {
  readonly #store: Store;
  readonly #kept = new Map<string, { readonly version: number; readonly facts: ManifestFacts }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** At once when the version is kept, or the manifest was never read. */
  factsOf({ id, manifest_version }: ServerFacts): ManifestFacts | Promise<ManifestFacts> {
    if (manifest_version === 0) return NOTHING_KNOWN;
    const kept = this.#kept.get(id);
    return kept?.version === manifest_version ? kept.facts : this.#read(id);
  }

  async #read(id: string): Promise<ManifestFacts> {
    const row = await this.#store.platform.reads().first(findManifest, { id });
    if (!row?.manifest) return NOTHING_KNOWN;
    const { eras, unknown = {} } = JSON.parse(row.manifest) as Manifest;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(id, { version: row.manifest_version, facts: { eras, unknown } });
    return { eras, unknown };
  }
}
