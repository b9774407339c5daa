/**
 * Decides which addresses the server may connect to on behalf of users: for webhooks, notifications, external MCP
 * servers and repositories.
 */
import type { Config } from '../../config.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';

const findAccount = platformStatement<Record<string, never>, { id: string }>((query) =>
  query.selectFrom('user_account').select('id').limit(1),
);

export class TargetPolicies {
  readonly #store: Store;
  readonly #config: Pick<Config, 'allowPrivateTargets' | 'allowedPrivateNetworks'>;
  #hasAccount = false;

  constructor(store: Store, config: Pick<Config, 'allowPrivateTargets' | 'allowedPrivateNetworks'>) {
    this.#store = store;
    this.#config = config;
  }

  /**
   * Without a setting, private targets are allowed until the first account exists. Until then, the person who reaches
   * the server is its only user. Afterwards, its users need not own the network.
   */
  async current(): Promise<TargetPolicy> {
    const { allowPrivateTargets, allowedPrivateNetworks: networks } = this.#config;
    if (allowPrivateTargets !== undefined) return { allowPrivate: allowPrivateTargets, networks };
    return { allowPrivate: !(await this.accountExists()), networks };
  }

  /** True once an account has existed, because the last account cannot be removed. */
  async accountExists(): Promise<boolean> {
    this.#hasAccount ||= (await this.#store.platform.reads().first(findAccount)) !== undefined;
    return this.#hasAccount;
  }
}
