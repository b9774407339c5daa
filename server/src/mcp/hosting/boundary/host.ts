/**
 * The host of foreign programs, as servers see it: it runs programs and builds, watches and limits them, passes messages to
 * those that speak over stdin and stdout, and removes what they leave. It knows no database, no key and no account.
 * `ProgramHost` is it; `RemoteHost` reaches one in a process of its own. Several servers may share one.
 */
import type { TargetPolicy } from '../../../outbound/guard.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import type { HostedConnection } from '../launch/schema.ts';
import type { BuildSource, Resolved } from '../launch/source.ts';
import type { StoredLaunch, Variable } from '../launch/stored-launch.ts';

/** Everything that a program is started with. */
export interface ProgramSpec {
  readonly serverId: string;
  readonly deploymentId: string;
  readonly buildId: string;
  /** Another one replaces the program that runs. */
  readonly version: string;
  readonly launch: StoredLaunch;
  readonly connection: HostedConnection;
  /** In clear. The values of `sensitive` ones are masked in all lines. */
  readonly variables: readonly Variable[];
  /** Variables that the server itself gives. */
  readonly facts: Readonly<Record<string, string>>;
}

/** How a program is reached. */
export type Endpoint =
  /** A socket that only this user of the machine reaches. */
  | {
      readonly over: 'socket';
      readonly folder: string;
      readonly name: string;
      readonly port: number;
      readonly token: string;
    }
  /** A port of the loopback address. */
  | { readonly over: 'port'; readonly port: number; readonly token: string }
  /** Through `Host.send`. */
  | { readonly over: 'stdio' };

/** A program that runs and answers. */
export interface Use {
  /** Names this run of it among all runs of the host. */
  readonly generation: number;
  readonly endpoint: Endpoint;
}

export type OutputStream = 'stdout' | 'stderr' | 'system';

export interface PrintedLine {
  /** Milliseconds of the machine's own clock, as `machineTime`. */
  readonly at: number;
  readonly stream: OutputStream;
  readonly message: string;
}

/** What a server's program does, as far as its host knows. */
export interface HostReport {
  /** `waiting`: it failed, and waits before the next start. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting';
  readonly deploymentId: string | null;
  /** Milliseconds, as `PrintedLine.at`. */
  readonly startedAt: number | null;
  readonly processes: number;
  readonly memoryBytes: number;
  /** How often it ended unasked or failed to start. */
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly retryAfterSeconds: number;
}

export interface BuildOrder {
  readonly id: string;
  readonly serverId: string;
  readonly source: BuildSource;
  readonly entrypoint: string | null;
  readonly dependencyPath: string | null;
  /** As they were when the build was asked for. */
  readonly variables: readonly Variable[];
}

export interface BuildResult {
  readonly launch: StoredLaunch;
  readonly resolved: Resolved;
}

export interface Host {
  /** Does now what else waits for the first use: ends and removes what a server that was killed has left. */
  wake(): void;
  /**
   * Resolves once the program answers. Callers at the same time share one start. Throws UpstreamError (`unavailable`) when it
   * does not start, while it waits after a failure, and while the host itself is being started again.
   */
  use(spec: ProgramSpec): Promise<Use>;
  /** The calls to a program that are under way through this server, also when there are none: it has just been used. */
  tell(generation: number, underWay: number): void;
  /** Sends a request to a program that speaks over stdin and stdout. */
  send(generation: number, request: UpstreamRequest, sink: AnswerSink): UpstreamCall;
  /** The next `use` starts another process. Calls under way finish in the old one. What failed before is forgotten. */
  replace(serverId: string, reason: string): void;
  /** Ends a server's programs and removes all that it has on the disk. */
  forget(serverId: string): Promise<void>;
  /** Starts a program beside what runs, and ends it once it has answered `initialize`. Resolves with what is wrong. */
  try(spec: ProgramSpec, owner: OutputOwner): Promise<string | undefined>;
  /** False when as many builds as the machine may run at once are under way. */
  takeBuildPlace(): Promise<boolean>;
  giveBuildPlaceBack(): void;
  /** Throws BuildFailed, and the reason of the signal once nothing of the build runs any more. */
  build(order: BuildOrder, signal: AbortSignal): Promise<BuildResult>;
  removeBuilds(serverId: string, buildIds: readonly string[]): Promise<void>;
  removeUploads(ids: readonly string[]): Promise<void>;
  /** Ends what runs for this server alone; with the last server, all. */
  close(): Promise<void>;
}

/** What a host tells and asks a server. */
export interface HostListener {
  reported(serverId: string, report: HostReport): void;
  /** The run takes no more requests than those under way: it is replaced, idle or gone. */
  left(generation: number): void;
  /** Resolves when they are stored. */
  printed(owner: OutputOwner, lines: readonly PrintedLine[]): Promise<void>;
  /** Where programs may connect to now. */
  targets(): Promise<TargetPolicy>;
  /** Something went wrong in the host that no user can mend. */
  faulted(what: string, error: unknown): void;
  /** The host has ended, with all that ran in it. */
  lost(): void;
}

/** A clock that all processes of the machine share, and that no one sets. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
