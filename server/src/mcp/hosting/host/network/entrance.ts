/** Connects to the port of a program in a network of its own, by a socket that only Signalbox can reach. */
import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { SocketPath } from '../../../../files/socket-path.ts';
import { newId } from '../../../../values/id.ts';

export class Entrance {
  readonly folder: string;
  readonly name: string;
  readonly #path: SocketPath;

  /**
   * Moves `socket`, on which the launcher listens, out of the program's reach into `folder`. Call it before the program
   * runs: afterwards, a name that the program may change could lead anywhere.
   */
  constructor(socket: string, folder: string) {
    if (!lstatSync(socket).isSocket()) throw new Error('The entrance of the program is not a socket.');
    this.folder = folder;
    // The name must be unique, because the number of an open folder is reused after it is closed.
    this.name = newId();
    renameSync(socket, join(folder, this.name));
    this.#path = new SocketPath(folder, this.name);
  }

  /** The path for `connect`, in this process. */
  get path(): string {
    return this.#path.text;
  }

  close(): void {
    this.#path.close();
  }
}
