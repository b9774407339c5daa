import type { Server } from '../context.ts';
import { Builds as RunningBuilds } from '../mcp/hosting/builds/builds.ts';
import type { ServerService } from './service.ts';

/** Builds hosted MCP servers. */
export class Builds implements ServerService {
  readonly name = 'builds';
  readonly scope = 'server';
  readonly everySeconds = 5;
  readonly #isOff: boolean;
  readonly #builds: RunningBuilds;

  constructor(server: Server) {
    this.#isOff = server.config.hosting === 'off';
    this.#builds = new RunningBuilds(server);
  }

  async runOnce(): Promise<boolean> {
    return this.#isOff ? false : this.#builds.begin();
  }

  /** Resolves when no build is under way. */
  settled(): Promise<void> {
    return this.#builds.settled();
  }

  stop(): Promise<void> {
    return this.#builds.stop();
  }
}
