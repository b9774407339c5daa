import { crashSilentRuns } from '../orchestration/runs/upkeep/heartbeats.ts';
import { secondsBetween, type Timestamp } from '../time.ts';
import type { Service } from './service.ts';

const EVERY_SECONDS = 15;
/** Passes that are further apart say that this process slept, and heard nothing meanwhile. */
const SLEPT_SECONDS = 4 * EVERY_SECONDS;

/**
 * Runs whose process is gone without a word are CRASHED. After a start, and after the machine slept, runs are given their
 * time anew: it was the server that heard nothing.
 */
export function zombieDetection(): Service {
  const watches = new Map<number, { since: Timestamp; last: Timestamp }>();
  return {
    name: 'zombie-detection',
    everySeconds: EVERY_SECONDS,
    runOnce(context) {
      const { now, workspace } = context;
      const watch = watches.get(workspace);
      const since = watch && secondsBetween(watch.last, now) <= SLEPT_SECONDS ? watch.since : now;
      watches.set(workspace, { since, last: now });
      return crashSilentRuns(context, since);
    },
  };
}
