/**
 * A fixed number of places, such as connections or requests in progress, lent so that no share of them (a workspace, a
 * caller) holds all. A share may take a place while it holds less than a multiple of the number of free places: with
 * the factor 2, the first share that requests everything gets two thirds, the next two thirds of the rest, and room is
 * left for others.
 */

/** Gives the place back. Later calls do nothing. */
export type Release = () => void;

export class Places {
  readonly #timesFree: readonly number[];
  readonly #exempt: ReadonlySet<string>;
  readonly #held = new Map<string, number>();
  #taken = 0;
  #free: number;

  /**
   * `timesFree` has one factor for each level of shares, from the outermost (an organization) to the innermost (one of
   * its callers). Shares in `exempt` have no limit, for places that every request needs.
   */
  constructor(places: number, timesFree: readonly number[], exempt: readonly string[] = []) {
    this.#free = places;
    this.#timesFree = timesFree;
    this.#exempt = new Set(exempt);
  }

  get isFull(): boolean {
    return this.#free <= 0;
  }

  get taken(): number {
    return this.#taken;
  }

  /** The places that a share holds; none for an exempt one. */
  heldBy(share: string): number {
    return this.#exempt.has(share) ? 0 : (this.#held.get(share) ?? 0);
  }

  /** True when each of `shares`, from the outermost, may take one more place. There may be fewer shares than levels. */
  mayTake(shares: readonly string[]): boolean {
    if (this.isFull) return false;
    for (const [level, share] of shares.entries()) {
      if (this.heldBy(share) >= this.#timesFree[level]! * this.#free) return false;
    }
    return true;
  }

  /** Takes a place for all of `shares`; call `mayTake` first. */
  take(shares: readonly string[]): Release {
    this.#free -= 1;
    this.#taken += 1;
    for (const share of shares) this.#held.set(share, (this.#held.get(share) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#free += 1;
      this.#taken -= 1;
      for (const share of shares) {
        const left = (this.#held.get(share) ?? 0) - 1;
        if (left > 0) this.#held.set(share, left);
        else this.#held.delete(share);
      }
    };
  }
}
