/** The paths of sockets, which the system limits to about a hundred characters. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a socket for `listen` and `connect`, however long the path of its folder is: on Linux it goes through the
 * folder, which is kept open.
 */
export class SocketPath {
  readonly text: string;
  #folder: number | undefined;

  constructor(folder: string, name: string) {
    if (process.platform !== 'linux') {
      this.text = join(folder, name);
      return;
    }
    this.#folder = openSync(folder, 'r');
    this.text = `/proc/self/fd/${this.#folder}/${name}`;
  }

  /** Call it once: the number of the folder is then reused for another file. */
  close(): void {
    if (this.#folder !== undefined) closeSync(this.#folder);
    this.#folder = undefined;
  }
}
