/** About 2 MB of small rows. */
const MAX_KEPT = 2000;

/**
 * What was read, for as long as nothing has been committed since, by any process. A fact that ends at a time holds
 * that time, and its readers check it.
 */
export class KeptUntilCommit<Fact> {
  readonly #commitMark: () => number;
  readonly #kept = new Map<string, Fact>();
  #mark: number | undefined;

  /** `commitMark`: see `Store`. */
  constructor(commitMark: () => number) {
    this.#commitMark = commitMark;
  }

  /**
   * Forgets everything when something was committed since the last look. What is found afterwards counts for requests
   * that had arrived before.
   */
  look(): void {
    const mark = this.#commitMark();
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#kept.clear();
  }

  find(question: string): Fact | undefined {
    return this.#kept.get(question);
  }

  /** What is read from now on may be kept under this mark. */
  get mark(): number | undefined {
    return this.#mark;
  }

  /** `mark`: as it was when the reading began. */
  keep(question: string, fact: Fact, mark: number | undefined): void {
    if (mark !== this.#mark) return;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(question, fact);
  }

  /** What is kept and still holds, else what `read` answers, which is kept from then on unless it is undefined. */
  async findOrRead(question: string, read: () => Promise<Fact | undefined>): Promise<Fact | undefined> {
    this.look();
    const kept = this.find(question);
    if (kept !== undefined) return kept;
    const mark = this.#mark;
    const fact = await read();
    if (fact !== undefined) this.keep(question, fact, mark);
    return fact;
  }
}
