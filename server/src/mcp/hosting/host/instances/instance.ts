/** One run of a deployment: a process with `http`, as many as there are sessions with `stdio`. */
import type { Upstream } from '../../../upstream/upstream.ts';
import type { Endpoint } from '../../boundary/host.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { BackOff } from './back-off.ts';
import type { Launch } from './launch.ts';

export interface InstanceOptions {
  readonly launch: Launch;
  readonly log: OutputLog;
  readonly backOff: BackOff;
  /** Other processes run than before. */
  changed(): void;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

export interface Instance {
  readonly endpoint: Endpoint;
  /** With `stdio`: takes requests of the Streamable HTTP transport. */
  readonly upstream?: Upstream;
  /** Resolves with a sentence when it has ended, unasked or because it was stopped. */
  readonly ended: Promise<string>;
  /** Processes that run now. */
  readonly processes: number;
  memoryBytes(): number;
  stop(graceSeconds: number, reason: string): Promise<void>;
}
