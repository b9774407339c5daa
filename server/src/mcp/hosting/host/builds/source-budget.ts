/** How much the source of a build may hold, whether it comes as an archive, from Git or from a folder. */
import { BuildFailed } from '../../boundary/build-failed.ts';

/** Files, folders and links: each takes an inode of the disk. */
export const MAX_ENTRIES = 50_000;
export const MAX_BYTES = 536_870_912;
/** Folders within each other. */
export const MAX_DEPTH = 100;

const MEGABYTE = 1_048_576;

/** What is left for one source. Each method throws BuildFailed above the limit, and the reason of a signal that aborted. */
export class SourceBudget {
  readonly #title: string;
  readonly #signal: AbortSignal;
  #entries = 0;
  #bytes = 0;

  /** `title` begins the sentence of an error, such as "The archive". */
  constructor(title: string, signal: AbortSignal) {
    this.#title = title;
    this.#signal = signal;
  }

  /** Counts a file, folder or link in so many folders of the source. */
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
