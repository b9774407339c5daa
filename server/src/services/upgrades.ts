import type { Server } from '../context/context.ts';
import type { ServerService } from './service.ts';

/** Finishes what a newer version changed in the database, beside requests: indexes of large tables, and older rows. */
export class Upgrades implements ServerService {
  readonly name = 'upgrades';
  readonly scope = 'server';
  readonly everySeconds = 300;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  runOnce(): Promise<boolean> {
    return this.#server.store.continueUpgrade();
  }
}
