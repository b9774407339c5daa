/** One run of a deployment: a process with `http`, one process per session with `stdio`. */
import type { Upstream } from '../../../upstream/upstream.ts';
import type { Endpoint } from '../../boundary/host.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { BackOff } from './back-off.ts';
import type { Launch } from './launch.ts';

export interface InstanceOptions {
  readonly launch: Launch;
  readonly log: OutputLog;
  readonly backOff: BackOff;
  /** The set of processes has changed. */
  changed(): void;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
}

export interface Instance {
  readonly endpoint: Endpoint;
  /** With `stdio`, accepts requests of the Streamable HTTP transport. */
  readonly upstream?: Upstream;
  /** Resolves with a sentence when it has ended, unexpectedly or because it was stopped. */
  readonly ended: Promise<string>;
  /** Number of running processes. */
  readonly processes: number;
  memoryBytes(): number;
  stop(graceSeconds: number, reason: string): Promise<void>;
}
