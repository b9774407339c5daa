/**
 * Limits log lines while a shared dependency is away: every request then ends with the same error, and a line for each
 * would fill the disk and hide the rest.
 */
import type { Unavailable } from '../errors.ts';

const EVERY_MILLISECONDS = 1000;
/** Distinct causes within that time; further ones are counted together. */
const MAX_CAUSES = 100;

type Write = (fields: Record<string, unknown>) => void;

interface Cause {
  /** Number of lines that were not written since the last one. */
  times: number;
  last: () => void;
}

/** Writes the first line of each cause at once, and then one a second with the number of repetitions. */
export class OutageLines {
  readonly #causes = new Map<string, Cause>();

  /** `write` is called now or later, or not at all if a later line replaces this one. */
  tell(message: string, error: Unavailable, write: Write): void {
    const key = this.#keyOf(message, error);
    const cause = this.#causes.get(key);
    if (!cause) {
      write({});
      this.#causes.set(key, { times: 0, last: () => {} });
      this.#lookLater(key);
      return;
    }
    cause.times++;
    const { times } = cause;
    cause.last = () => write({ times });
  }

  #lookLater(key: string): void {
    setTimeout(() => {
      const cause = this.#causes.get(key);
      if (!cause?.times) {
        this.#causes.delete(key);
        return;
      }
      cause.last();
      cause.times = 0;
      this.#lookLater(key);
    }, EVERY_MILLISECONDS).unref();
  }

  #keyOf(message: string, error: Unavailable): string {
    const { message: why = '', code } = (error.cause ?? {}) as { message?: string; code?: unknown };
    const key = `${message}\n${error.message}\n${code ?? why}`;
    return this.#causes.has(key) || this.#causes.size < MAX_CAUSES ? key : message;
  }
}
