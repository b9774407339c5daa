import type { Context } from '../../../context/context.ts';

/**
 * Applies an action to each run. Logs a run that fails and continues with the others. False when one failed: it would
 * be found again at once, so it waits for the next pass.
 */
export async function oneByOne(
  context: Context,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<boolean> {
  let done = true;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      context.server.logger.error({ err: error, id }, 'a run is skipped');
      done = false;
    }
  }
  return done;
}
