import { maskSecrets } from '../encryption/mask.ts';

/**
 * A message to the readers of any number of streams. It is encoded once in full and once for readers who may not read
 * secrets, so that many readers cost the memory of one.
 */
export class LiveFrame {
  readonly whole: Buffer;
  #masked: Buffer | undefined;

  constructor(text: string) {
    this.whole = Buffer.from(text);
  }

  /** The frame with its secrets hidden; its text must be JSON. */
  get masked(): Buffer {
    if (!this.#masked) {
      const text = this.whole.toString();
      const masked = maskSecrets(text);
      this.#masked = masked === text ? this.whole : Buffer.from(masked);
    }
    return this.#masked;
  }
}

/** A server-sent event for any number of streams. `data` is one line. */
export function messageFrame(data: string): LiveFrame {
  return new LiveFrame(`data: ${data}\n\n`);
}

/** Makes the pages of a workspace read everything again, after a change that has no event. */
export const readAgainFrame = messageFrame('[{"type":"resync"}]');
