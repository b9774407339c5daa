import type { Context } from '../context/context.ts';
import type { ServiceName } from '../settings/services.ts';
import type { Timestamp } from '../values/time.ts';

/**
 * A background service: one pass of it acts on a workspace or on the server. Any number of replicas run it at the same
 * time, so the transaction of an effect also claims it (a conditional update, `for update skip locked`, a unique key).
 * A service owns the state that it keeps between its passes.
 */
export type Service = WorkspaceService | ServerService;

interface Periodic {
  /** Its name in `SIGNALBOX_SERVICES`. */
  readonly name: ServiceName;
  /** Seconds from the end of a pass to the next when nothing wakes the service. */
  readonly everySeconds: number;
  /** Ends the work that passes started without waiting for it. No pass follows. */
  stop?(): Promise<void>;
}

/** Passes over each workspace in turn. */
export interface WorkspaceService extends Periodic {
  readonly scope: 'workspace';
  /**
   * One pass, with `context.now` as its clock. Resolves to true when due work is left: the next pass follows at once.
   * An error is logged, and the next pass comes as usual.
   */
  runOnce(context: Context): Promise<boolean>;
}

/** Passes over data that belongs to the server and to no workspace. */
export interface ServerService extends Periodic {
  readonly scope: 'server';
  /** One pass, like that of a `WorkspaceService`. */
  runOnce(now: Timestamp): Promise<boolean>;
}
