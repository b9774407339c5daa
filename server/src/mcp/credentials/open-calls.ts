/** The open requests with credentials of people: requests with a deleted credential are ended. */
import type { Store } from '../../database/store.ts';
import type { AccessChanges } from '../../identity/access/access-changes.ts';
import { upstreamCredentials } from './queries.ts';

/** Credentials that are read at once, because other requests need the database too. */
const ASKED_TOGETHER = 100;

export class OpenCalls {
  readonly #store: Store;
  readonly #ends = new Map<string, Set<() => void>>();
  readonly #unwatch: () => void;

  constructor(store: Store, accessChanges: AccessChanges) {
    this.#store = store;
    this.#unwatch = accessChanges.watch({ isOpen: () => this.#ends.size > 0, look: () => this.#look() });
  }

  /** `end` is called when the credential is deleted. Call the returned function when the request is over. */
  add(credentialId: string, end: () => void): () => void {
    const ends = this.#ends.get(credentialId) ?? new Set();
    this.#ends.set(credentialId, ends.add(end));
    return () => {
      if (ends.delete(end) && ends.size === 0) this.#ends.delete(credentialId);
    };
  }

  close(): void {
    this.#unwatch();
  }

  async #look(): Promise<void> {
    const ids = [...this.#ends.keys()];
    for (let first = 0; first < ids.length; first += ASKED_TOGETHER) {
      await Promise.all(ids.slice(first, first + ASKED_TOGETHER).map((id) => this.#check(id)));
    }
  }

  async #check(id: string): Promise<void> {
    if (await upstreamCredentials.first(this.#store.platform.reads(), { id })) return;
    for (const end of [...(this.#ends.get(id) ?? [])]) end();
  }
}
