import type { Context } from '../../context/context.ts';
import { crashSilentRuns } from '../../orchestration/runs/upkeep/heartbeats.ts';
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { WorkspaceService } from '../service.ts';

const EVERY_SECONDS = 15;
/** A longer gap between passes means that this process was suspended and received nothing. */
const SLEPT_SECONDS = 4 * EVERY_SECONDS;

/**
 * Crashes runs whose heartbeats stopped. After a start, and after the machine was suspended, each run gets its full
 * time again, because the server itself could not receive heartbeats.
 */
export class ZombieDetection implements WorkspaceService {
  readonly name = 'zombie-detection';
  readonly scope = 'workspace';
  readonly everySeconds = EVERY_SECONDS;
  readonly #watches = new Map<number, { since: Timestamp; last: Timestamp }>();

  runOnce(context: Context): Promise<boolean> {
    const { now, workspace } = context;
    const watch = this.#watches.get(workspace);
    const since = watch && secondsBetween(watch.last, now) <= SLEPT_SECONDS ? watch.since : now;
    this.#watches.set(workspace, { since, last: now });
    return crashSilentRuns(context, since);
  }
}
