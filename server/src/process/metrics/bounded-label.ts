/** Replaces every value beyond the limit. */
export const OTHER = 'other';

/** The values of a label that users choose: a limited number of first values, and `other` for all later ones. */
export class BoundedLabel {
  readonly #most: number;
  readonly #known = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#most) return OTHER;
    this.#known.add(value);
    return value;
  }
}
