import { BoundedMap } from '../values/bounded-map.ts';

/** Facts kept at most: about 2 MB of small rows. */
const MAX_KEPT = 2000;

/** Keeps what was read until a process commits. A fact that expires contains its end, and its readers check it. */
export class KeptUntilCommit<Fact> {
  readonly #commitMark: () => number;
  readonly #kept = new BoundedMap<string, Fact>({ name: 'access', most: MAX_KEPT });
  #mark: number | undefined;

  /** See `commitMark` of `Store`. */
  constructor(commitMark: () => number) {
    this.#commitMark = commitMark;
  }

  /**
   * Forgets everything if there was a commit since the last call. Facts found afterwards are valid for requests that
   * had arrived before.
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

  /** The mark under which a fact that is read from now on may be kept. */
  get mark(): number | undefined {
    return this.#mark;
  }

  /** `mark` is the mark from before the read began. */
  keep(question: string, fact: Fact, mark: number | undefined): void {
    if (mark !== this.#mark) return;
    this.#kept.set(question, fact);
  }

  /** Returns the kept value if still valid. Otherwise calls `read` and keeps its result, unless undefined. */
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
