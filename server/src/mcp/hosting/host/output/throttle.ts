import type { Readable } from 'node:stream';

const BYTES_PER_SECOND = 33_554_432;
/** Limit of all programs together, because reading is work of the host, which they share. */
const BYTES_PER_SECOND_OF_ALL = 67_108_864;
const WINDOW_MILLISECONDS = 100;

/** Bytes in the current time window. */
class Meter {
  readonly #most: number;
  #began = performance.now();
  #bytes = 0;

  constructor(bytesPerSecond: number) {
    this.#most = (bytesPerSecond * WINDOW_MILLISECONDS) / 1000;
  }

  /** True when the window is full. */
  add(bytes: number): boolean {
    const now = performance.now();
    if (now - this.#began > WINDOW_MILLISECONDS) {
      this.#began = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    return this.#bytes >= this.#most;
  }
}

const all = new Meter(BYTES_PER_SECOND_OF_ALL);

/**
 * Limits the bytes of `output` that are read in a second to what this host can process: the writer waits, not the other
 * users of the host. Call it before listening to `data`.
 */
export function throttle(output: Readable): void {
  const own = new Meter(BYTES_PER_SECOND);
  output.on('data', (chunk: Buffer) => {
    const isFull = [own, all].map((meter) => meter.add(chunk.length)).includes(true);
    if (!isFull) return;
    output.pause();
    setTimeout(() => output.resume(), WINDOW_MILLISECONDS).unref();
  });
}
