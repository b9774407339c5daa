/**
 * The last handlers of the program, for errors that no part of it caught. Work in the background has owners (see
 * background.ts), so an error here is a mistake in the program or in a library.
 */
import type { Logger } from './logger.ts';

/** The reason that `/api/ready` gives from then on. */
export const UNOWNED_FAULT = 'The server is stopping because of an unexpected error, which is in its log';

/**
 * Logs each error. `stop` is called at the first exception, which may have left work half done, so the process must
 * stop in order. A promise that rejected without a handler has unwound its own work, so the process continues. Returns
 * a function that stops watching.
 */
export function watchUnownedFaults(logger: Logger, stop: () => void): () => void {
  const onException = (error: unknown) => {
    logger.fatal({ err: error }, 'an exception that nothing caught: the server stops');
    stop();
  };
  const onRejection = (error: unknown) => {
    logger.error({ err: error }, 'a rejection that nothing handled: the server goes on');
  };
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  };
}
