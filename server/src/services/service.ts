import type { Context, Server } from '../context.ts';
import type { ServiceName } from '../settings/services.ts';

/**
 * A background service: what it does to one workspace, once. Any number of replicas run it at the same time, so each
 * effect is claimed in the transaction that has it (a conditional update, `for update skip locked`, a unique key).
 */
export interface Service {
  readonly name: ServiceName;
  /** Seconds from the end of a pass to the next when nothing wakes the service. */
  readonly everySeconds: number;
  /**
   * One pass, with `context.now` as its clock. Resolves to true when work is left that is due already: the next pass
   * follows at once. What it throws is logged, and the next pass comes as usual.
   */
  runOnce(context: Context): Promise<boolean>;
  /** Ends what passes have begun and not waited for; no pass follows. */
  stop?(server: Server): Promise<void>;
}
