/**
 * The home of work that no request waits for, and of listeners that Node calls about sockets, streams, processes and
 * timers. A fault in such work ends what the work was for, with a line in the log, and never the process.
 */
import { createLogger, type Logger } from './logger.ts';

type End = (error: unknown) => void;

const loggers = new Set<Pick<Logger, 'error'>>();
const watchers = new Set<(what: string) => void>();

/** From now on faults are written to `logger`. Returns a function that ends it. Without any logger they go to stderr. */
export function logFaults(logger: Pick<Logger, 'error'>): () => void {
  loggers.add(logger);
  return () => {
    loggers.delete(logger);
  };
}

/**
 * Calls `watch` with the name of each piece of work as it begins. The work fails with what `watch` throws: this is how
 * tests let each piece fail. Returns a function that ends it.
 */
export function watchBackground(watch: (what: string) => void): () => void {
  watchers.add(watch);
  return () => {
    watchers.delete(watch);
  };
}

/**
 * Begins `work`, and returns without waiting for it. `what` names it in the log. When it throws or rejects, the error is
 * logged, and `end` ends what the work was for. Never throws.
 */
export function inBackground(what: string, work: () => unknown, end: End = () => {}): void {
  guarded(what, work, end)();
}

/**
 * Awaits `work` that must not fail what comes after it. Resolves also when it fails, with its error logged and `end`
 * called.
 */
export async function attempt(what: string, work: () => unknown, end: End = () => {}): Promise<void> {
  try {
    begin(what);
    await work();
  } catch (error) {
    fail(what, error, end);
  }
}

/** A listener that does what `listener` does and fails as work `inBackground` does. Never throws. */
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
