/**
 * Caches a bounded number of values while they are used. Each belongs to a holder. When another value needs room, idle
 * values are dropped first; then the holder with the most values loses the least recently used one. So a holder that
 * fills the cache only evicts its own values.
 */
export class KeptByHolder<Value> {
  readonly #most: number;
  readonly #idleMilliseconds: number;
  readonly #dropped: (value: Value) => void;
  /** The values of each holder, the most recently used one last. */
  readonly #holders = new Map<string, Map<string, Used<Value>>>();
  #size = 0;

  /** `dropped` is called with each evicted value, and must not throw. */
  constructor(most: number, idleMilliseconds: number, dropped: (value: Value) => void) {
    this.#most = most;
    this.#idleMilliseconds = idleMilliseconds;
    this.#dropped = dropped;
  }

  /**
   * The value with the key, made if there is none. `now` counts as its last use, in milliseconds since an arbitrary
   * moment.
   */
  findOrMake(holder: string, key: string, now: number, make: () => Value): Value {
    const known = this.#holders.get(holder)?.get(key);
    if (known) {
      this.#forget(holder, key);
      this.#keep(holder, key, { value: known.value, lastUsed: now });
      return known.value;
    }
    this.#dropIdle(holder, now);
    if (this.#size >= this.#most) for (const each of [...this.#holders.keys()]) this.#dropIdle(each, now);
    while (this.#size >= this.#most) this.#dropOldest(this.#largest());
    const value = make();
    this.#keep(holder, key, { value, lastUsed: now });
    return value;
  }

  /** Removes the value without calling `dropped`. */
  take(holder: string, key: string): Value | undefined {
    const value = this.#holders.get(holder)?.get(key)?.value;
    this.#forget(holder, key);
    return value;
  }

  #keep(holder: string, key: string, used: Used<Value>): void {
    const values = this.#holders.get(holder) ?? new Map<string, Used<Value>>();
    this.#holders.set(holder, values);
    values.set(key, used);
    this.#size += 1;
  }

  #forget(holder: string, key: string): void {
    const values = this.#holders.get(holder);
    if (!values?.delete(key)) return;
    this.#size -= 1;
    if (values.size === 0) this.#holders.delete(holder);
  }

  #dropIdle(holder: string, now: number): void {
    for (const [, { lastUsed }] of this.#holders.get(holder) ?? []) {
      if (now - lastUsed < this.#idleMilliseconds) return;
      this.#dropOldest(holder);
    }
  }

  /** The holder with the most values; among equals, the one that came first. */
  #largest(): string {
    let largest = '';
    let most = 0;
    for (const [holder, values] of this.#holders) {
      if (values.size <= most) continue;
      largest = holder;
      most = values.size;
    }
    return largest;
  }

  #dropOldest(holder: string): void {
    for (const [key, { value }] of this.#holders.get(holder) ?? []) {
      this.#forget(holder, key);
      this.#dropped(value);
      return;
    }
  }
}

interface Used<Value> {
  readonly value: Value;
  readonly lastUsed: number;
}
