const MAX_KEPT = 2000;

/** What was made from the rows of servers, by their version. Which version holds is read for each request. */
export class KeptByVersion<T> {
  readonly #kept = new Map<string, { readonly version: number; readonly value: T }>();

  /** Undefined when the value of this version is not kept. */
  get(id: string, version: number): T | undefined {
    const kept = this.#kept.get(id);
    return kept?.version === version ? kept.value : undefined;
  }

  keep(id: string, version: number, value: T): void {
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(id, { version, value });
  }
}
