/** MCP servers that this server runs, as the rest of it sees them. */
import type { Timestamp } from '../../values/time.ts';
import type { Upstream } from './upstream.ts';

export interface HostedServers {
  /**
   * Resolves once a process of the live deployment answers, which it starts when none runs; callers at the same time
   * share one start. Throws UpstreamError (`unavailable`) when nothing is deployed, when it does not start, and while
   * it waits after a failure.
   */
  upstreamOf(serverId: string): Promise<Upstream>;
  /**
   * Replaces the process that runs here, or starts just now, when another replica has changed what it was started with.
   * Without this it goes on for some seconds.
   */
  replaceOutdated(serverId: string): Promise<void>;
  /**
   * Starts a build beside what is live, and ends it once it has answered `initialize`. Resolves with what is wrong, and the
   * last lines that it printed, or with undefined. Its output goes to the log of `owner`, or else to that of the server.
   */
  tryBuild(serverId: string, build: TriedBuild, owner?: OutputOwner): Promise<string | undefined>;
  /** How the server does in this process; other replicas have processes of their own. */
  report(serverId: string): ProcessReport;
  /** What runs in this process. */
  states(): HostedCounts;
  /** Requests from now on get a new process. */
  restart(serverId: string): void;
  close(): Promise<void>;
}

export interface HostedCounts {
  /** Servers that have been asked for here, by what they do now. */
  readonly servers: Readonly<Record<'starting' | 'running' | 'waiting', number>>;
  readonly processes: number;
}

/** Whose log output belongs to. */
export interface OutputOwner {
  readonly kind: 'server' | 'build';
  readonly id: string;
}

/** A build as its row has it. */
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
  /** How often it ended unasked or failed to start since this process started. */
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly retryAfterSeconds: number;
}
