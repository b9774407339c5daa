import type { Server } from '../context/context.ts';
import { DueManifests } from '../platform/servers/manifest/due-manifests.ts';
import type { Timestamp } from '../values/time.ts';
import type { ServerService } from './service.ts';

/** Asks the MCP servers that are due for their manifests. */
export class ManifestDiscovery implements ServerService {
  readonly name = 'manifests';
  readonly scope = 'server';
  readonly everySeconds = 5;
  readonly #due: DueManifests;

  constructor(server: Server) {
    this.#due = new DueManifests(server);
  }

  runOnce(now: Timestamp): Promise<boolean> {
    return this.#due.begin(now);
  }

  /** Resolves when no server is being asked. */
  settled(): Promise<void> {
    return this.#due.settled();
  }

  stop(): Promise<void> {
    return this.#due.stop();
  }
}
