/**
 * Lets the writing connections of this process to one file take turns. A transaction may stay open over turns of the event
 * loop, and SQLite's own wait for a lock would stop the loop in which that transaction goes on.
 */
export class WriteGate {
  static readonly #gates = new Map<string, WriteGate>();

  readonly #file: string;
  #users = 0;
  /** The last work that was asked for. */
  #last: Promise<unknown> = Promise.resolve();

  /** To be released when its connection closes. */
  static of(file: string): WriteGate {
    const gate = WriteGate.#gates.get(file) ?? new WriteGate(file);
    WriteGate.#gates.set(file, gate);
    gate.#users++;
    return gate;
  }

  private constructor(file: string) {
    this.#file = file;
  }

  /** Runs work outside the transactions of others, in the order in which it was asked for. */
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
