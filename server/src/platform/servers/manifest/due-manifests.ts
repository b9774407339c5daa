/**
 * Reads the manifests of hosted servers after new code is deployed or their settings change. This starts them, so the
 * person who deploys sees whether the code runs. A claim makes one replica read each server; if that replica dies, the
 * server is due again at the end of the claim. The requests that set the address of an external server read its
 * manifest themselves. This service reads it when that was interrupted or failed, because the problem of a server of
 * either kind may be temporary.
 */
import type { Server } from '../../../context/context.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import type { ServerRow } from '../server/queries.ts';
import { readOffer, storeManifest } from './manifests.ts';
import { claimDueManifest, settleManifestDue } from './queries.ts';

const MAX_UNDER_WAY = 8;
/** Longer than any successful reading takes: the server may have ten minutes to start, and a second process as many. */
const CLAIM_SECONDS = 1500;

export class DueManifests {
  readonly #server: Server;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopped = Promise.withResolvers<'stopped'>();
  #stopping = false;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Starts reading the due servers, as far as there is room; the rest follows as others end. */
  async begin(now: Timestamp): Promise<boolean> {
    const { config, store, logger, hub } = this.#server;
    const { hosting } = config;
    while (this.#underWay.size < MAX_UNDER_WAY && !this.#stopping) {
      const until = addSeconds(now, CLAIM_SECONDS);
      const row = await store.platform.transaction((tx) => tx.first(claimDueManifest, { now, until, hosting }));
      if (!row) return false;
      const asked = this.#ask(row, now)
        .catch((error: unknown) => logger.error({ err: error, server: row.id }, 'a manifest was not read'))
        .finally(() => {
          this.#underWay.delete(asked);
          if (!this.#stopping) hub.tell('work', 'manifests', undefined);
        });
      this.#underWay.add(asked);
    }
    return false;
  }

  /** Resolves when no server is being read. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Stops, and releases the claims of servers that are being read. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopped.resolve('stopped');
    await this.settled();
  }

  async #ask(row: ServerRow, now: Timestamp): Promise<void> {
    const { store } = this.#server;
    const { id, connection_version, manifest_due: known } = row;
    const read = await Promise.race([readOffer(this.#server, row), this.#stopped.promise]);
    await store.platform.transaction(async (tx) => {
      if (read === 'stopped') await tx.run(settleManifestDue, { id, connection_version, known, due: now });
      else await storeManifest(this.#server, tx, row, read, now);
    });
  }
}
