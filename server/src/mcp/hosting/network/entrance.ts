/** The way to the port of a program in a network of its own: a socket that only this server reaches. */
import { closeSync, lstatSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../../id.ts';

export class Entrance {
  /** For `connect`. It leads through the folder that this process holds open, because paths of sockets must be short. */
  readonly path: string;
  readonly #folder: number;

  /**
   * Takes `socket`, which is listened on, out of the program's sight into `folder`. To be called before the program
   * begins: afterwards what is found under a name that it may change could lead anywhere.
   */
  constructor(socket: string, folder: string) {
    if (!lstatSync(socket).isSocket()) throw new Error('The way to the program is not a socket.');
    // A name of its own: the number of the folder is given again once this is closed.
    const name = newId();
    renameSync(socket, join(folder, name));
    this.#folder = openSync(folder, 'r');
    this.path = `/proc/self/fd/${this.#folder}/${name}`;
  }

  close(): void {
    closeSync(this.#folder);
  }
}
