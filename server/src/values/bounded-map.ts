/**
 * The one way to keep values in memory for later: sessions, compiled texts, facts. When there are too many, too large
 * or idle ones, the least recently used are dropped, one at a time. Values may have holders; then the holder with the
 * most loses its own, so that a holder that fills the map evicts nobody else's.
 */
import { evictions } from '../watching/telemetry.ts';

interface Bounds<Key, Value> {
  /** The label of the metric that counts what was dropped for lack of room. */
  readonly name: string;
  /** Most values. */
  readonly most: number;
  /** Most bytes (or characters) of all values, by `weigh`. */
  readonly mostBytes?: number;
  readonly weigh?: (value: Value) => number;
  /** Values that were not used for this time go first. */
  readonly idleMilliseconds?: number;
  /** Called with each value that is dropped. It must not throw. */
  readonly dropped?: (value: Value, key: Key) => void;
  /** A clock in milliseconds. */
  readonly elapsed?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  usedAt: number;
  readonly holder: string;
}

/** The values of one holder, the most recently used one last. */
interface Held<Key, Value> {
  readonly entries: Map<Key, Entry<Value>>;
  bytes: number;
}

export class BoundedMap<Key, Value> {
  readonly #bounds: Bounds<Key, Value>;
  readonly #elapsed: () => number;
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #holders = new Map<string, Held<Key, Value>>();
  #bytes = 0;

  constructor(bounds: Bounds<Key, Value>) {
    this.#bounds = bounds;
    const { idleMilliseconds, elapsed = () => performance.now() } = bounds;
    this.#elapsed = idleMilliseconds === undefined ? () => 0 : elapsed;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. Undefined also for a value that has been idle for too long. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const now = this.#elapsed();
    if (this.#isIdle(entry, now)) {
      this.#drop(key, entry);
      return undefined;
    }
    entry.usedAt = now;
    // The order matters only when one must be dropped, and moving an entry to the end costs as much as finding it.
    const { most, weigh, idleMilliseconds } = this.#bounds;
    if (this.#entries.size > most / 2 || weigh || idleMilliseconds !== undefined) this.#move(key, entry);
    return entry.value;
  }

  /** Keeps `value` in place of an earlier one, and drops what is too much. */
  set(key: Key, value: Value, holder = ''): void {
    this.delete(key);
    const bytes = this.#bounds.weigh?.(value) ?? 0;
    const held = this.#holders.get(holder) ?? { entries: new Map(), bytes: 0 };
    const entry = { value, bytes, usedAt: this.#elapsed(), holder };
    this.#holders.set(holder, held);
    held.entries.set(key, entry);
    held.bytes += bytes;
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    this.#makeRoom(key);
  }

  getOrMake(key: Key, make: () => Value, holder = ''): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value, holder);
    return value;
  }

  /** Removes the value without calling `dropped`, and returns it. */
  delete(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    const held = this.#holders.get(entry.holder);
    if (held) {
      held.entries.delete(key);
      held.bytes -= entry.bytes;
      if (held.entries.size === 0) this.#holders.delete(entry.holder);
    }
    return entry.value;
  }

  /** Removes all values without calling `dropped`. */
  clear(): void {
    this.#entries.clear();
    this.#holders.clear();
    this.#bytes = 0;
  }

  #move(key: Key, entry: Entry<Value>): void {
    for (const entries of [this.#entries, this.#holders.get(entry.holder)?.entries]) {
      entries?.delete(key);
      entries?.set(key, entry);
    }
  }

  #isIdle({ usedAt }: Entry<Value>, now: number): boolean {
    return now - usedAt >= (this.#bounds.idleMilliseconds ?? Number.POSITIVE_INFINITY);
  }

  /** The value of `kept` stays. */
  #makeRoom(kept: Key): void {
    const { name, most, mostBytes = Number.POSITIVE_INFINITY } = this.#bounds;
    const now = this.#elapsed();
    for (const [key, entry] of this.#entries) {
      if (!this.#isIdle(entry, now)) break;
      this.#drop(key, entry);
    }
    for (;;) {
      const isHeavy = this.#bytes > mostBytes;
      if ((this.#entries.size <= most && !isHeavy) || this.#entries.size === 1) return;
      for (const [key, entry] of this.#largest(isHeavy, kept)) {
        if (key === kept) continue;
        this.#drop(key, entry);
        evictions.note({ map: name });
        break;
      }
    }
  }

  /** The entries of the holder with the most besides `kept`; among equals, of the one that came first. */
  #largest(isHeavy: boolean, kept: Key): ReadonlyMap<Key, Entry<Value>> {
    let largest: ReadonlyMap<Key, Entry<Value>> = this.#entries;
    let most = -1;
    for (const { entries, bytes } of this.#holders.values()) {
      const size = isHeavy ? bytes : entries.size;
      if (size <= most || (entries.size === 1 && entries.has(kept))) continue;
      largest = entries;
      most = size;
    }
    return largest;
  }

  #drop(key: Key, entry: Entry<Value>): void {
    this.delete(key);
    this.#bounds.dropped?.(entry.value, key);
  }
}
