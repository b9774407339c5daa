/** One run of a deployment: a process with `http`, as many as there are sessions with `stdio`. */

import type { TrialLog } from '../../upstream/hosted-servers.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Launch } from '../launch/launch.ts';
import type { BackOff } from './back-off.ts';

export interface InstanceOptions {
  readonly launch: Launch;
  readonly log: TrialLog;
  readonly backOff: BackOff;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

export interface Instance {
  readonly upstream: Upstream;
  /** Resolves with a sentence when it has ended, unasked or because it was stopped. */
  readonly ended: Promise<string>;
  /** Processes that run now. */
  readonly processes: number;
  memoryBytes(): number;
  stop(graceSeconds: number, reason: string): Promise<void>;
}
