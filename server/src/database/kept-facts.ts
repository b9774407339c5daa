import { BoundedMap } from '../values/bounded-map.ts';

/** Facts kept at most: about 2 MB of small rows. */
const MAX_KEPT = 2000;

/** Tells whether what was read earlier still holds. */
export interface Look {
  /** True if facts of the current epoch hold for every request that has arrived by now. */
  isFresh(): boolean;
  /** Another number when the facts that were kept so far may have changed. */
  readonly epoch: number;
}

/**
 * Keeps what was read while a look says that it holds. A fact that ends by time contains its end, and its readers check
 * it.
 */
export class KeptFacts<Fact> {
  readonly #look: Look;
  readonly #kept: BoundedMap<string, Fact>;
  #epoch: number;
  #isFresh = false;

  /** `name` names the map in the metrics. */
  constructor(look: Look, name: string) {
    this.#look = look;
    this.#kept = new BoundedMap({ name, most: MAX_KEPT });
    this.#epoch = look.epoch;
  }

  /**
   * Facts that `find` returns afterwards, in the same turn of the event loop, are valid for requests that had arrived
   * before.
   */
  look(): void {
    this.#isFresh = this.#look.isFresh();
    this.#forgetOlder();
  }

  find(question: string): Fact | undefined {
    return this.#isFresh ? this.#kept.get(question) : undefined;
  }

  /** The epoch of a fact whose read begins now. */
  get epoch(): number {
    return this.#look.epoch;
  }

  /** `epoch` is from before the read began. A fact of an earlier epoch is dropped: it may be from before a change. */
  keep(question: string, fact: Fact, epoch: number): void {
    this.#forgetOlder();
    if (epoch === this.#epoch) this.#kept.set(question, fact);
  }

  /** Returns the kept value if it still holds. Otherwise calls `read` and keeps its result, unless undefined. */
  async findOrRead(question: string, read: () => Promise<Fact | undefined>): Promise<Fact | undefined> {
    this.look();
    const kept = this.find(question);
    if (kept !== undefined) return kept;
    const { epoch } = this;
    const fact = await read();
    if (fact !== undefined) this.keep(question, fact, epoch);
    return fact;
  }

  #forgetOlder(): void {
    if (this.#epoch === this.#look.epoch) return;
    this.#epoch = this.#look.epoch;
    this.#kept.clear();
  }
}
