import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import { KeptByVersion } from '../../manifest/kept-by-version.ts';
import type { ServerFacts } from '../arrive/server-access.ts';
import { Policy, type PolicyRule } from './policy.ts';

const findPolicy = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'policy' | 'policy_version'>>(
  (query, given) => query.selectFrom('mcp_server').select(['policy', 'policy_version']).where('id', '=', given.id),
);

/** Compiled policies. */
export class Policies {
  readonly #store: Store;
  readonly #kept = new KeptByVersion<Policy>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The policy of the version that the facts name, or a newer one. Synchronous when it is kept. */
  policyOf({ id, policy_version }: Pick<ServerFacts, 'id' | 'policy_version'>): Policy | Promise<Policy> {
    return this.#kept.get(id, policy_version) ?? this.#read(id);
  }

  async #read(id: string): Promise<Policy> {
    const row = await this.#store.platform.reads().first(findPolicy, { id });
    const policy = new Policy(row ? (JSON.parse(row.policy) as PolicyRule[]) : []);
    if (row) this.#kept.keep(id, row.policy_version, policy);
    return policy;
  }
}
