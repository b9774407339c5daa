import type { Context } from '../../../context.ts';

/**
 * Does something to each of the runs; one that fails is logged and does not keep the others from their turn. False when
 * one failed: it would be found again at once, so it waits for the next pass.
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
      context.server.logger.error({ err: error, id }, 'a run is passed over');
      done = false;
    }
  }
  return done;
}
