/** Stores what programs and builds print, and keeps the latest lines of each server. */
import type { Hub } from '../../../changes/hub.ts';
import type { Store } from '../../../database/store.ts';
import { IntegrityConflict } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { Logger } from '../../../watching/logger.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import type { PrintedLine } from '../boundary/host.ts';
import { trimProcessLogs } from '../launch/queries.ts';
import { buildOutput, processOutput } from './stored-output.ts';

/** Lines of output that are kept for a server, and number of new ones after which the oldest are deleted. */
const KEPT_LINES = 20_000;
const TRIM_EVERY = 1000;

interface OutputParts {
  readonly store: Store;
  readonly hub: Hub;
  readonly logger: Logger;
}

export class ProgramOutput {
  readonly #parts: OutputParts;
  readonly #timeOf: (machineMilliseconds: number) => Timestamp;
  /** Lines of each server since its oldest were deleted. */
  readonly #written = new Map<string, number>();

  /** `timeOf` turns a time of the machine into one of the database. */
  constructor(parts: OutputParts, timeOf: (machineMilliseconds: number) => Timestamp) {
    this.#parts = parts;
    this.#timeOf = timeOf;
  }

  /** Never rejects: output that cannot be stored is lost, which is logged, unless its owner has been deleted. */
  async store({ kind, id }: OutputOwner, printed: readonly PrintedLine[]): Promise<void> {
    const lines = printed.map(({ at, ...line }) => ({ ...line, occurred: this.#timeOf(at) }));
    const { store, logger } = this.#parts;
    try {
      if (kind === 'server') await this.#storeOfServer(id, lines);
      else await store.platform.transaction((tx) => buildOutput.insert(tx, id, lines));
    } catch (error) {
      if (error instanceof IntegrityConflict) return;
      logger.warn({ err: error, lines: lines.length }, 'output of a hosted server was not stored');
    }
  }

  async #storeOfServer(serverId: string, lines: Parameters<typeof processOutput.insert>[2]): Promise<void> {
    const written = (this.#written.get(serverId) ?? TRIM_EVERY) + lines.length;
    const trim = written >= TRIM_EVERY;
    this.#written.set(serverId, trim ? 0 : written);
    await this.#parts.store.platform.transaction(async (tx) => {
      await processOutput.insert(tx, serverId, lines);
      if (trim) await tx.run(trimProcessLogs, { server_id: serverId, kept: KEPT_LINES });
    });
    this.#parts.hub.tell('activity', serverId, 'server_output');
  }
}
