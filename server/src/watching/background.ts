/**
 * Runs work for which no request waits, and listeners that Node calls for sockets, streams, processes and timers. A
 * fault in such work is logged and ends only the purpose of the work, never the process.
 */
import { createLogger, type Logger } from './logger.ts';

type End = (error: unknown) => void;

const loggers = new Set<Pick<Logger, 'error'>>();
const watchers = new Set<(what: string) => void>();

/** Writes faults to `logger` from now on. Returns a function that stops this. Without any logger they go to stderr. */
export function logFaults(logger: Pick<Logger, 'error'>): () => void {
  loggers.add(logger);
  return () => {
    loggers.delete(logger);
  };
}

/**
 * Calls `watch` with the name of each piece of work as it begins. The work fails with the error that `watch` throws, so
 * that tests can let each piece fail. Returns a function that stops this.
 */
export function watchBackground(watch: (what: string) => void): () => void {
  watchers.add(watch);
  return () => {
    watchers.delete(watch);
  };
}

/**
 * Starts `work`, and returns without waiting for it. `what` names it in the log. When it throws or rejects, the error
 * is logged, and `end` ends the purpose of the work. Never throws.
 */
export function inBackground(what: string, work: () => unknown, end: End = () => {}): void {
  guarded(what, work, end)();
}

/**
 * Awaits `work` whose failure must not affect what comes after it. Resolves even when it fails, after the error is
 * logged and `end` is called.
 */
export async function attempt(what: string, work: () => unknown, end: End = () => {}): Promise<void> {
  try {
    begin(what);
    await work();
  } catch (error) {
    fail(what, error, end);
  }
}

/** Wraps a listener so that a fault in it is handled as `inBackground` handles it. Never throws. */
export function guarded<Given extends readonly unknown[]>(
  what: string,
  listener: (...given: Given) => unknown,
  end: End = () => {},
): (...given: Given) => void {
  const failed = (error: unknown) => fail(what, error, end);
  return (...given) => {
    try {
      begin(what);
      const result = listener(...given);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

function begin(what: string): void {
  for (const watch of watchers) watch(what);
}

function fail(what: string, error: unknown, end: End): void {
  tellFault(what, error);
  try {
    end(error);
  } catch (second) {
    tellFault(`the end of ${what}`, second);
  }
}

function tellFault(work: string, err: unknown): void {
  const told = loggers.size > 0 ? loggers : [createLogger('error')];
  for (const logger of told) logger.error({ err, work }, 'work in the background failed');
}
