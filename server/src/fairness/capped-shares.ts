/**
 * Limits the amount that the server holds for all holders together and for each of them, so that none takes everything.
 */
export class CappedShares {
  readonly #held = new Map<string, number>();
  readonly #most: number;
  readonly #mostOfOne: number;
  #total = 0;

  constructor(most: number, mostOfOne: number) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  /** True when no holder can take anything. */
  get isFull(): boolean {
    return this.#total >= this.#most;
  }

  /**
   * Takes `amount` for `holder`; if it does not fit, takes nothing and returns false. An undefined holder counts only
   * in the total.
   */
  take(holder: string | undefined, amount = 1): boolean {
    if (this.#total + amount > this.#most) return false;
    if (holder !== undefined) {
      const held = (this.#held.get(holder) ?? 0) + amount;
      if (held > this.#mostOfOne) return false;
      this.#held.set(holder, held);
    }
    this.#total += amount;
    return true;
  }

  giveBack(holder: string | undefined, amount = 1): void {
    this.#total -= amount;
    if (holder === undefined) return;
    const left = (this.#held.get(holder) ?? 0) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }
}
