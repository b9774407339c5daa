import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { approvalsIn } from '../../manifest/approved-tools.ts';
import { KeptByVersion } from '../../manifest/kept-by-version.ts';
import type { ServerFacts } from '../arrive/server-access.ts';
import { Policy, type PolicyRule } from './policy.ts';

const findPolicy = platformStatement<
  { id: string },
  Pick<Row<'mcp_server'>, 'policy' | 'policy_version' | 'manifest_version' | 'approved_tools'>
>((query, given) =>
  query
    .selectFrom('mcp_server')
    .select(['policy', 'policy_version', 'manifest_version', 'approved_tools'])
    .where('id', '=', given.id),
);

const findManifest = platformStatement<{ id: string; manifest_version: number }, Pick<Row<'mcp_server'>, 'manifest'>>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .select('manifest')
      .where('id', '=', given.id)
      .where('manifest_version', '=', given.manifest_version),
);

type Versions = Pick<ServerFacts, 'policy_version' | 'manifest_version'>;

/** Compiled policies. */
export class Policies {
  readonly #store: Store;
  readonly #kept = new KeptByVersion<Policy>('policies');

  constructor(store: Store) {
    this.#store = store;
  }

  /** The policy of the versions in the facts, or a newer one. Returns synchronously if it is cached. */
  policyOf(facts: Pick<ServerFacts, 'id'> & Versions): Policy | Promise<Policy> {
    return this.#kept.get(facts.id, versionOf(facts)) ?? this.#read(facts.id);
  }

  async #read(id: string): Promise<Policy> {
    const db = this.#store.platform.reads();
    const row = await db.first(findPolicy, { id });
    if (!row) return new Policy([]);
    const rules = JSON.parse(row.policy) as PolicyRule[];
    if (row.approved_tools === null) return this.#keep(id, row, new Policy(rules));
    const found = await db.first(findManifest, { id, manifest_version: row.manifest_version });
    // The row has just been read again.
    if (!found) return this.#read(id);
    return this.#keep(id, row, new Policy(rules, approvalsIn(row.approved_tools, found.manifest)));
  }

  #keep(id: string, versions: Versions, policy: Policy): Policy {
    this.#kept.keep(id, versionOf(versions), policy);
    return policy;
  }
}

/** Both only rise. The last read manifest decides about tools that have changed. */
function versionOf({ policy_version, manifest_version }: Versions): number {
  return policy_version + manifest_version;
}
