/** Limits the requests that are processed at once. Past the limit, a fast refusal is better than a slow answer. */
import type { ServerResponse } from 'node:http';

const BUSY = JSON.stringify({ exception_message: 'Service Unavailable' });
const BUSY_PLATFORM = JSON.stringify({
  error: { code: 'unavailable', message: 'The server is overloaded. Try again in a moment.' },
});
const RETRY_AFTER_SECONDS = '1';

export class RequestsUnderWay {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
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

/** Answers a request that is not begun, with as little as possible. */
export function answerBusy(response: ServerResponse, isPlatform: boolean): void {
  const body = isPlatform ? BUSY_PLATFORM : BUSY;
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': RETRY_AFTER_SECONDS,
  });
  response.end(body);
}
