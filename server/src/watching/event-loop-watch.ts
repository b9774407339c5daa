/**
 * Logs what blocked the event loop. Code that starts a piece of work names it with `doing`, which costs as much as
 * reading the clock. A timer that fires late logs the piece that took longest.
 */
import type { Logger } from './logger.ts';

const TICK_MILLISECONDS = 50;
/** A turn of the event loop that takes longer is logged. */
const LONG_MILLISECONDS = 200;
/** If the process used less than this share of the delay on a processor, it was frozen or starved, not blocked. */
const RUNNING_SHARE = 0.25;

/** A busy machine starves a process again and again, so one line in this time is enough. */
const QUIET_MILLISECONDS = 600_000;

const BETWEEN = 'something else';

let current = BETWEEN;
let since = 0;
let longest = BETWEEN;
let longestMilliseconds = 0;

/**
 * Names the work that runs from here on: `POST /api/flow_runs/filter`, `service scheduler`. The name must not contain
 * input of a caller.
 */
export function doing(what: string): void {
  const now = performance.now();
  end(now);
  current = what;
  since = now;
}

function end(now: number): void {
  if (now - since <= longestMilliseconds) return;
  longestMilliseconds = now - since;
  longest = current;
}

/** Watches until the returned function is called. */
export function watchEventLoop(logger: Logger): () => void {
  let last = performance.now();
  let usage = process.threadCpuUsage();
  const starved = { quietUntil: Number.NEGATIVE_INFINITY, unlogged: 0 };
  since = last;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - TICK_MILLISECONDS;
    const used = process.threadCpuUsage(usage);
    if (late > LONG_MILLISECONDS) {
      end(now);
      const milliseconds = Math.round(late);
      const ran = (used.user + used.system) / 1000;
      if (ran < late * RUNNING_SHARE) {
        if (now >= starved.quietUntil) {
          const { unlogged } = starved;
          const before = unlogged === 0 ? {} : { unlogged };
          logger.warn({ milliseconds, ...before }, 'the process got no processor time (logged once in ten minutes)');
          Object.assign(starved, { quietUntil: now + QUIET_MILLISECONDS, unlogged: 0 });
        } else starved.unlogged++;
      } else logger.warn({ milliseconds, doing: longest }, 'the event loop was blocked');
    }
    last = now;
    usage = process.threadCpuUsage();
    current = BETWEEN;
    since = now;
    longest = BETWEEN;
    longestMilliseconds = 0;
  }, TICK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
