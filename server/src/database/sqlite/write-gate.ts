/**
 * Lets the writing connections of this process to one file take turns. A transaction may stay open over turns of the
 * event loop, and SQLite's own wait for a lock would block the loop that has to finish that transaction.
 */
export class WriteGate {
  static readonly #gates = new Map<string, WriteGate>();

  readonly #file: string;
  #users = 0;
  /** The most recently requested work. */
  #last: Promise<unknown> = Promise.resolve();

  /** Release it when its connection closes. */
  static of(file: string): WriteGate {
    const gate = WriteGate.#gates.get(file) ?? new WriteGate(file);
    WriteGate.#gates.set(file, gate);
    gate.#users++;
    return gate;
  }

  private constructor(file: string) {
    this.#file = file;
  }

  /** Runs work outside the transactions of others, in the order of requests. */
  alone<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) WriteGate.#gates.delete(this.#file);
  }
}
