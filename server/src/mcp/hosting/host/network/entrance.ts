/** The way to the port of a program in a network of its own: a socket that only Signalbox reaches. */
import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../../../values/id.ts';
import { SocketPath } from '../../boundary/reach.ts';

export class Entrance {
  readonly folder: string;
  readonly name: string;
  readonly #path: SocketPath;

  /**
   * Takes `socket`, which is listened on, out of the program's sight into `folder`. To be called before the program
   * begins: afterwards what is found under a name that it may change could lead anywhere.
   */
  constructor(socket: string, folder: string) {
    if (!lstatSync(socket).isSocket()) throw new Error('The way to the program is not a socket.');
    this.folder = folder;
    // A name of its own: the number of an open folder is given again once it is closed.
    this.name = newId();
    renameSync(socket, join(folder, this.name));
    this.#path = new SocketPath(folder, this.name);
  }

  /** For `connect`, in this process. */
  get path(): string {
    return this.#path.text;
  }

  close(): void {
    this.#path.close();
  }
}
