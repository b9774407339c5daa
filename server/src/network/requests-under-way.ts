/** Limits the requests that are processed at once. Past the limit, a fast refusal is better than a slow answer. */
export class RequestsUnderWay {
  readonly #max: number;
  #count = 0;
  #isDraining = false;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /** True once the server is about to stop: requests are still answered, and new ones should go elsewhere. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  beginDrain(): void {
    this.#isDraining = true;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts the work until it ends or fails. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }

  /** Does not count a request while it waits for its client instead of this server. */
  async except<T>(waiting: Promise<T>): Promise<T> {
    this.#count -= 1;
    try {
      return await waiting;
    } finally {
      this.#count += 1;
    }
  }
}
