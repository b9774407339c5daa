const MAX_KEPT = 2000;

/** Caches values that were made from the rows of servers, by version. Each request reads which version is current. */
export class KeptByVersion<T> {
  readonly #kept = new Map<string, { readonly version: number; readonly value: T }>();

  /** Undefined when the value of this version is not cached. */
  get(id: string, version: number): T | undefined {
    const kept = this.#kept.get(id);
    return kept?.version === version ? kept.value : undefined;
  }

  keep(id: string, version: number, value: T): void {
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(id, { version, value });
  }
}
