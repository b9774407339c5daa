import type { Server } from '../context/context.ts';
import type { ServerService } from './service.ts';

/**
 * Finishes the changes of a newer version to the database while requests are served: indexes of large tables, and older
 * rows.
 */
export class Upgrades implements ServerService {
  readonly name = 'upgrades';
  readonly scope = 'server';
  readonly everySeconds = 60;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  runOnce(): Promise<boolean> {
    return this.#server.store.continueUpgrade();
  }
}
