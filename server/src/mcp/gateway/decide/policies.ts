import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables.ts';
import type { ServerFacts } from '../arrive/server-access.ts';
import { Policy, type PolicyRule } from './policy.ts';

const findPolicy = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'policy' | 'policy_version'>>(
  (query, given) => query.selectFrom('mcp_server').select(['policy', 'policy_version']).where('id', '=', given.id),
);

const MAX_KEPT = 2000;

/** Compiled policies by server and version. Which version holds is read for each request. */
export class Policies {
  readonly #store: Store;
  readonly #kept = new Map<string, { readonly version: number; readonly policy: Policy }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The policy of the version that the facts name, or a newer one. Synchronous when it is kept. */
  policyOf({ id, policy_version }: Pick<ServerFacts, 'id' | 'policy_version'>): Policy | Promise<Policy> {
    const kept = this.#kept.get(id);
    return kept && kept.version === policy_version ? kept.policy : this.#read(id);
  }

  async #read(id: string): Promise<Policy> {
    const row = await this.#store.platform.reads().first(findPolicy, { id });
    const policy = new Policy(row ? (JSON.parse(row.policy) as PolicyRule[]) : []);
    if (!row) return policy;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(id, { version: row.policy_version, policy });
    return policy;
  }
}
