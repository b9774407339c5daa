/** Limits the source of a build, whether it comes as an archive, from Git or from a folder. */
import { BuildFailed } from '../../boundary/build-failed.ts';

/** Files, folders and links; each uses an inode of the disk. */
export const MAX_ENTRIES = 50_000;
export const MAX_BYTES = 536_870_912;
/** Nesting depth of folders. */
export const MAX_DEPTH = 100;

const MEGABYTE = 1_048_576;

/**
 * The remaining budget of one source. Each method throws BuildFailed beyond the limit, and the reason of an aborted
 * signal.
 */
export class SourceBudget {
  readonly #title: string;
  readonly #signal: AbortSignal;
  #entries = 0;
  #bytes = 0;

  /** `title` is the subject of an error's sentence, such as "The archive". */
  constructor(title: string, signal: AbortSignal) {
    this.#title = title;
    this.#signal = signal;
  }

  /** Counts a file, folder or link at this depth of the source. */
  takeEntry(depth: number): void {
    this.#signal.throwIfAborted();
    if (++this.#entries > MAX_ENTRIES) this.#refuse(`more than ${MAX_ENTRIES} files, folders and links`);
    if (depth > MAX_DEPTH) this.#refuse(`folders more than ${MAX_DEPTH} deep`);
  }

  takeBytes(bytes: number): void {
    this.#signal.throwIfAborted();
    this.#bytes += bytes;
    if (this.#bytes > MAX_BYTES) this.#refuse(`more than ${MAX_BYTES / MEGABYTE} MB`);
  }

  #refuse(amount: string): never {
    throw new BuildFailed(`${this.#title} contains ${amount}, which is the limit of a source.`);
  }
}
