/** MCP servers that this server runs, as the rest of it sees them. */
import type { Timestamp } from '../time.ts';
import type { Upstream } from './upstream.ts';

export interface HostedServers {
  /**
   * Resolves once a process of the live deployment answers, which it starts when none runs; callers at the same time
   * share one start. Throws UpstreamError (`unavailable`) when nothing is deployed, when it does not start, and while it
   * is given time after it failed.
   */
  upstreamOf(serverId: string): Promise<Upstream>;
  /**
   * Replaces the process that runs here, or starts just now, when another replica has changed what it was started with.
   * Without this it goes on for some seconds.
   */
  replaceOutdated(serverId: string): Promise<void>;
  /** How the server does in this process; other replicas have processes of their own. */
  report(serverId: string): ProcessReport;
  /** Requests from now on get a new process. */
  restart(serverId: string): void;
  close(): Promise<void>;
}

export interface ProcessReport {
  /** `waiting`: it failed, and is given time before the next start. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting';
  readonly deploymentId: string | null;
  readonly startedAt: Timestamp | null;
  readonly processes: number;
  readonly memoryBytes: number;
  readonly requestsUnderWay: number;
  /** Times that it ended by itself or did not start, since this server runs. */
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly retryAfterSeconds: number;
}
