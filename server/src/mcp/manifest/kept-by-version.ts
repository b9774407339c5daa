import { BoundedMap } from '../../values/bounded-map.ts';

const MAX_KEPT = 2000;

/** Caches values that were made from the rows of servers, by version. Each request reads which version is current. */
export class KeptByVersion<T> {
  readonly #kept: BoundedMap<string, { readonly version: number; readonly value: T }>;

  /** `name` is the label in the metric. */
  constructor(name: string) {
    this.#kept = new BoundedMap({ name, most: MAX_KEPT });
  }

  /** Undefined when the value of this version is not cached. */
  get(id: string, version: number): T | undefined {
    const kept = this.#kept.get(id);
    return kept?.version === version ? kept.value : undefined;
  }

  keep(id: string, version: number, value: T): void {
    this.#kept.set(id, { version, value });
  }
}
