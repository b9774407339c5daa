import { UpstreamError } from '../../../upstream/upstream.ts';

const FIRST_SECONDS = 1;
const MAX_SECONDS = 300;
/** A process that ran this long counts as healthy: its end counts as the first. */
const WELL_AFTER_SECONDS = 60;
/** A caller waits at most this long before it is refused. */
const WAITED_OUT_MILLISECONDS = 2500;

/** Decides when a server that ended unexpectedly may start again: after 1 s, 2 s, 4 s … 300 s. */
export class BackOff {
  readonly #elapsed: () => number;
  #failures = 0;
  #retryAt = 0;
  /** Number of unexpected ends and failed starts. */
  total = 0;
  lastFailure: string | undefined;

  /** `elapsed` is a clock in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Resolves when a start is allowed; throws UpstreamError when that is too far away. */
  async untilAllowed(): Promise<void> {
    const wait = this.#retryAt - this.#elapsed();
    if (wait <= 0) return;
    if (wait > WAITED_OUT_MILLISECONDS) {
      const seconds = Math.ceil(wait / 1000);
      throw new UpstreamError('unavailable', `The server failed recently and restarts in ${seconds} s.`, seconds);
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }

  failed(reason: string, ranSeconds: number): void {
    this.total++;
    this.lastFailure = reason;
    this.#failures = ranSeconds >= WELL_AFTER_SECONDS ? 1 : this.#failures + 1;
    const seconds = Math.min(FIRST_SECONDS * 2 ** (this.#failures - 1), MAX_SECONDS);
    this.#retryAt = this.#elapsed() + seconds * 1000;
  }

  /** Seconds until the next start is allowed; 0 when it is allowed now. */
  get waitSeconds(): number {
    return Math.max(0, Math.ceil((this.#retryAt - this.#elapsed()) / 1000));
  }

  /** Forgets earlier failures, because a person changed or restarted the server. */
  reset(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }
}
