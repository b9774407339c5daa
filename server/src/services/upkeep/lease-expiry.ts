import type { Server } from '../../context/context.ts';
import { lowerTime } from '../../database/schema/lower-times.ts';
import { endExpiredLeases } from '../../orchestration/limits/global-limits/slots.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../values/time.ts';
import { latestTimes } from '../latest-times.ts';
import type { ServerService, WorkspaceService } from '../service.ts';

const EVERY_SECONDS = 15;
/** After this time every replica has noticed that the clock was set back, and writes correct times. */
const SETTLED_SECONDS = 60;
/** A time that another process wrote with a correct clock may be ahead by this much. */
const TOLERANCE_SECONDS = 5;

/** Frees the concurrency slots of clients whose leases expired. */
export const leaseExpiry: WorkspaceService = {
  name: 'lease-expiry',
  scope: 'workspace',
  everySeconds: EVERY_SECONDS,
  runOnce: endExpiredLeases,
};

/**
 * Lowers the times that a clock wrote while it was ahead: after a start, and for a minute after the clock was set back.
 */
export class TimesAhead implements ServerService {
  readonly name = 'lease-expiry';
  readonly scope = 'server';
  readonly everySeconds = EVERY_SECONDS;
  readonly #server: Server;
  #known = Number.NaN;
  #since: Timestamp | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  async runOnce(now: Timestamp): Promise<boolean> {
    const { store, clock } = this.#server;
    if (clock.timesSetBack !== this.#known) this.#since = now;
    this.#known = clock.timesSetBack;
    if (this.#since === undefined) return false;
    if (secondsBetween(this.#since, now) > SETTLED_SECONDS) this.#since = undefined;
    for (const time of latestTimes) {
      const seconds = 'seconds' in time.latest ? time.latest.seconds : 0;
      await lowerTime(store, time, {
        now,
        until: addSeconds(now, seconds),
        late: addSeconds(now, seconds + TOLERANCE_SECONDS),
      });
    }
    return false;
  }
}
