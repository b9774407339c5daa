import type { Readable } from 'node:stream';

const BYTES_PER_SECOND = 33_554_432;
const PAUSE_MILLISECONDS = 100;

/**
 * Reads no more of `output` in a second than this server has time for: the writer waits, not the other users of this
 * server. Call it before listening to `data`.
 */
export function throttle(output: Readable): void {
  let began = performance.now();
  let bytes = 0;
  output.on('data', (chunk: Buffer) => {
    const now = performance.now();
    if (now - began > PAUSE_MILLISECONDS) {
      began = now;
      bytes = 0;
    }
    bytes += chunk.length;
    if (bytes < (BYTES_PER_SECOND * PAUSE_MILLISECONDS) / 1000) return;
    output.pause();
    setTimeout(() => output.resume(), PAUSE_MILLISECONDS).unref();
  });
}
