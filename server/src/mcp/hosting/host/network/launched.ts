/** A program that the launcher in its sandbox starts, once this server has connected its network. */

import type { ChildProcess } from 'node:child_process';
import { Server as Listener } from 'node:net';
import { guarded } from '../../../../watching/background.ts';
import { Entrance } from './entrance.ts';
import type { Start } from './protocol.ts';
import { type Targets, WayOut } from './way-out.ts';

interface LaunchedOptions {
  readonly start: Start;
  readonly targets: Targets;
  /** The launcher's socket, and the folder to which it is moved. */
  readonly entrance: { readonly socket: string; readonly folder: string } | undefined;
  /** Called when the launcher runs, but not yet the program. */
  ready(): void;
}

export class Launched {
  readonly child: ChildProcess;
  /** Resolves before the program runs; with undefined if it has no entrance or does not start. */
  readonly entrance: Promise<Entrance | undefined>;
  #wayOut: WayOut | undefined;
  #entrance: Entrance | undefined;
  #isClosed = false;

  constructor(child: ChildProcess, options: LaunchedOptions) {
    this.child = child;
    this.entrance = new Promise((resolve) => {
      child.once('exit', () => resolve(undefined));
      child.once('error', () => resolve(undefined));
      const begin = (_message: unknown, listener: unknown) => {
        this.#begin(listener, options);
        resolve(this.#entrance);
      };
      const failed = () => {
        child.kill('SIGKILL');
        resolve(undefined);
      };
      child.once('message', guarded('the start of a program', begin, failed));
    });
  }

  #begin(listener: unknown, { start, targets, entrance, ready }: LaunchedOptions): void {
    if (listener instanceof Listener) this.#wayOut = new WayOut(listener, targets);
    if (entrance) this.#entrance = new Entrance(entrance.socket, entrance.folder);
    if (this.#isClosed) this.close();
    ready();
    // From now on foreign code runs, which must not be able to talk to this process as its child.
    this.child.send(start, () => {
      if (this.child.connected) this.child.disconnect();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#wayOut?.close();
    this.#entrance?.close();
    this.#entrance = undefined;
  }
}
