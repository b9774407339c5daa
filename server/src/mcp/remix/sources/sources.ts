/** Connects to the servers of a remix. A problem with one is an error that names it. */
import { KeptFacts } from '../../../database/kept-facts.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformDb, Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { type Approvals, approvalsIn } from '../../manifest/approved-tools.ts';
import { KeptByVersion } from '../../manifest/kept-by-version.ts';
import type { Manifests } from '../../manifest/manifests.ts';
import type { Era } from '../../protocol/era.ts';
import type { Translations } from '../../translation/translations.ts';
import { type Upstream, UpstreamError } from '../../upstream/upstream.ts';
import type { UpstreamCaller, Upstreams } from '../../upstream/upstreams.ts';
import type { RemixSource } from '../composition/selection.ts';

export type SourceRow = Pick<
  Row<'mcp_server'>,
  | 'id'
  | 'organization_id'
  | 'kind'
  | 'name'
  | 'authentication'
  | 'connection_version'
  | 'manifest_version'
  | 'personal_credential'
  | 'policy_version'
> & { readonly has_approvals: unknown };

/** The current row of a source. */
export interface FoundSource extends SourceRow {
  /** Undefined if its tools need no approval. */
  readonly approvals: Approvals | undefined;
}

/** The caller of these requests: a client of the remix. */
export interface RemixClient {
  readonly organizationId: string;
  readonly caller: UpstreamCaller;
  readonly era: Era;
}

const findSource = platformStatement<{ id: string }, SourceRow>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .select((eb) => [
        'id',
        'organization_id',
        'kind',
        'name',
        'authentication',
        'connection_version',
        'manifest_version',
        'personal_credential',
        'policy_version',
        eb('approved_tools', 'is not', null).as('has_approvals'),
      ])
      .where('id', '=', given.id) as never,
);

const findApprovals = platformStatement<
  { id: string },
  Pick<Row<'mcp_server'>, 'approved_tools' | 'manifest' | 'policy_version' | 'manifest_version'>
>((query, given) =>
  query
    .selectFrom('mcp_server')
    .select(['approved_tools', 'manifest', 'policy_version', 'manifest_version'])
    .where('id', '=', given.id),
);

export class Sources {
  readonly #db: PlatformDb;
  readonly #kept: KeptFacts<SourceRow>;
  readonly #upstreams: Pick<Upstreams, 'upstreamOf'>;
  readonly #manifests: Manifests;
  readonly #translations: Translations;
  readonly #approvals = new KeptByVersion<Approvals>('approvals');

  constructor(
    { store, upstreams }: { readonly store: Store; readonly upstreams: Pick<Upstreams, 'upstreamOf'> },
    manifests: Manifests,
    translations: Translations,
  ) {
    this.#db = store.platform.reads();
    this.#kept = new KeptFacts(store.accessLook, 'sources');
    this.#upstreams = upstreams;
    this.#manifests = manifests;
    this.#translations = translations;
  }

  /**
   * The row of the source as of each request, so that a change of it takes effect at once: it is kept
   * until access has changed. Rejects with UpstreamError.
   */
  async find({ serverId }: RemixSource, { organizationId }: RemixClient): Promise<FoundSource> {
    const row = await this.#rowOf(serverId);
    if (!row || row.organization_id !== organizationId) {
      throw new UpstreamError('unavailable', 'A source server of this remix has been deleted.');
    }
    if (row.kind === 'remix' || row.authentication === 'none') {
      throw naming(row.name, new UpstreamError('unavailable', 'It cannot be part of a remix.'));
    }
    return { ...row, approvals: row.has_approvals ? await this.#approvalsOf(row) : undefined };
  }

  #rowOf(id: string): Promise<SourceRow | undefined> {
    return this.#kept.findOrRead(id, () => this.#db.first(findSource, { id }));
  }

  /** The tools that the source itself withholds are withheld from every remix of it. */
  async #approvalsOf(row: SourceRow): Promise<Approvals | undefined> {
    const kept = this.#approvals.get(row.id, versionOf(row));
    if (kept) return kept;
    const now = await this.#db.first(findApprovals, { id: row.id });
    const approvals = now && approvalsIn(now.approved_tools, now.manifest);
    if (approvals) this.#approvals.keep(row.id, versionOf(now), approvals);
    return approvals;
  }

  /** The connection to a source in the era of the client. Rejects with UpstreamError. */
  async reach(row: SourceRow, { caller, era }: RemixClient): Promise<Upstream> {
    try {
      const upstream = await this.#upstreams.upstreamOf(row, caller);
      const { eras } = await this.#manifests.factsOf(row);
      return this.#translations.translate(upstream, eras, { serverId: row.id, actorId: caller.actorId, era });
    } catch (error) {
      throw naming(row.name, error);
    }
  }
}

/** Both only rise. */
function versionOf({
  policy_version,
  manifest_version,
}: Pick<SourceRow, 'policy_version' | 'manifest_version'>): number {
  return policy_version + manifest_version;
}

/** The error with the name of its server. An absent source does not make the remix absent. */
export function naming(name: string, error: unknown): UpstreamError {
  if (!(error instanceof UpstreamError)) return new UpstreamError('unavailable', `"${name}" cannot be reached now.`);
  const { fault, message, retryAfterSeconds, data } = error;
  const here = fault === 'absent' ? 'unavailable' : fault;
  return new UpstreamError(here, `"${name}": ${message}`, retryAfterSeconds, data);
}
