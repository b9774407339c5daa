/** How soon a change is on the screen. The full run measures it; the quick run waits as long as for everything else. */
import { isFullRun } from '../../server/test/support/full-run.ts';
import { slowness } from '../../server/test/support/machine.ts';

/** The option of an expectation. `milliseconds` are those of a machine of known speed. */
export function soon(milliseconds: number): { readonly timeout?: number } {
  return isFullRun ? { timeout: milliseconds * slowness() } : {};
}
