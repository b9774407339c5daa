import type { Server } from '../context/context.ts';
import { warnOfEndingKeys } from '../platform/keys/api-keys/warnings.ts';
import type { Timestamp } from '../values/time.ts';
import type { ServerService } from './service.ts';

/** Mails those who can replace API keys before the keys end. */
export class KeyWarnings implements ServerService {
  readonly name = 'key-warnings';
  readonly scope = 'server';
  readonly everySeconds = 3600;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  runOnce(now: Timestamp): Promise<boolean> {
    return warnOfEndingKeys(this.#server, now);
  }
}
