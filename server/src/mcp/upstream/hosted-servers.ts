/** The hosted MCP servers of this server, for its other parts. */
import type { Timestamp } from '../../values/time.ts';
import type { Upstream } from './upstream.ts';

export interface HostedServers {
  /**
   * Resolves once a process of the live deployment answers, and starts one if none runs; simultaneous callers share one
   * start. Throws UpstreamError (`unavailable`) when nothing is deployed, when it does not start, and while it waits
   * after a failure.
   */
  upstreamOf(serverId: string): Promise<Upstream>;
  /**
   * Replaces the process that runs or starts, here or at another server, if the values with which it was started have
   * changed. Without this call it continues for some seconds.
   */
  replaceOutdated(serverId: string): Promise<void>;
  /**
   * Starts a build beside the live one, and ends it once it has answered `initialize`. Resolves with the problem and
   * the last lines of its output, or with undefined. Its output goes to the log of `owner`, or else to that of the
   * server.
   */
  tryBuild(serverId: string, build: TriedBuild, owner?: OutputOwner): Promise<string | undefined>;
  /** The state of the programs that the host of this process has. */
  report(serverId: string): ProcessReport;
  /** Looks up the states of programs, wherever they run; a process that does not answer soon is left out. */
  reports(): Promise<(serverId: string) => ProcessReport>;
  /** The number of programs in this process. */
  states(): HostedCounts;
  close(): Promise<void>;
}

export interface HostedCounts {
  /** Servers that were used here, by their current state. */
  readonly servers: Readonly<Record<'starting' | 'running' | 'waiting', number>>;
  readonly processes: number;
}

/** The owner of log output. */
export interface OutputOwner {
  readonly kind: 'server' | 'build';
  readonly id: string;
}

/** The columns of a build's row. */
export interface TriedBuild {
  readonly id: string;
  readonly launch: string;
  readonly resolved: string;
}

export interface ProcessReport {
  /** `waiting`: it failed, and waits before the next start. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting';
  readonly deploymentId: string | null;
  readonly startedAt: Timestamp | null;
  readonly processes: number;
  readonly memoryBytes: number;
  readonly requestsUnderWay: number;
  /** Number of unexpected ends and failed starts since this process started. */
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly retryAfterSeconds: number;
}
