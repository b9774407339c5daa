import type { Server } from '../context/context.ts';
import { Builds } from '../mcp/hosting/builds/builds.ts';
import type { ServerService } from './service.ts';

/** Builds hosted MCP servers. */
export class BuildQueue implements ServerService {
  readonly name = 'builds';
  readonly scope = 'server';
  readonly everySeconds = 5;
  readonly #isOff: boolean;
  readonly #builds: Builds;

  constructor(server: Server) {
    this.#isOff = server.config.hosting === 'off';
    this.#builds = new Builds(server);
  }

  async runOnce(): Promise<boolean> {
    return this.#isOff ? false : this.#builds.begin();
  }

  /** Resolves when no build is running. */
  settled(): Promise<void> {
    return this.#builds.settled();
  }

  stop(): Promise<void> {
    return this.#builds.stop();
  }
}
