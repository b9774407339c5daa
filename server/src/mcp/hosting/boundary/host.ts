/**
 * The interface of the host of foreign programs: it runs programs and builds, watches and limits them, passes messages
 * to programs on stdin and stdout, and removes their files and processes. It has no access to the database, keys and
 * accounts. `ProgramHost` implements it; `RemoteHost` connects to one in a process of its own. Several servers may
 * share one.
 */
import type { TargetPolicy } from '../../../outbound/guard.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import type { AnswerSink, UpstreamCall, UpstreamRequest } from '../../upstream/upstream.ts';
import type { HostedConnection } from '../launch/schema.ts';
import type { BuildSource, Resolved } from '../launch/source.ts';
import type { StoredLaunch, Variable } from '../launch/stored-launch.ts';

/** All facts for the start of a program. */
export interface ProgramSpec {
  readonly serverId: string;
  readonly deploymentId: string;
  readonly buildId: string;
  /** A program with another version replaces the running one. */
  readonly version: string;
  readonly launch: StoredLaunch;
  readonly connection: HostedConnection;
  /** Variables in plain text. The values of `sensitive` ones are masked in all lines. */
  readonly variables: readonly Variable[];
  /** Variables that the server itself sets. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The way to reach a program. */
export type Endpoint =
  /** A socket that only this user of the machine can reach. */
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
  /** Identifies this run of it among all runs of the host. */
  readonly generation: number;
  readonly endpoint: Endpoint;
}

export type OutputStream = 'stdout' | 'stderr' | 'system';

export interface PrintedLine {
  /** Milliseconds of the machine's own clock, see `machineTime`. */
  readonly at: number;
  readonly stream: OutputStream;
  readonly message: string;
}

/** The state of a server's program, as known to its host. */
export interface HostReport {
  /** `waiting`: it failed, and waits before the next start. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting';
  readonly deploymentId: string | null;
  /** Milliseconds, like `PrintedLine.at`. */
  readonly startedAt: number | null;
  readonly processes: number;
  readonly memoryBytes: number;
  /** Number of unexpected ends and failed starts. */
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
  /** Variables from the time of the build's request. */
  readonly variables: readonly Variable[];
}

export interface BuildResult {
  readonly launch: StoredLaunch;
  readonly resolved: Resolved;
}

export interface Host {
  /** Does now what otherwise waits for the first use: ends the processes of killed servers, and removes their files. */
  wake(): void;
  /**
   * Resolves once the program answers. Callers at the same time share one start. Throws UpstreamError (`unavailable`)
   * when it does not start, while it waits after a failure, and while the host itself restarts.
   */
  use(spec: ProgramSpec): Promise<Use>;
  /**
   * All programs end at `until`, a `machineTime`, unless this is called again before. Without it they go on: only servers
   * that share the programs with other hosts call it.
   */
  holdUntil(until: number): void;
  /** Reports the open calls to a program through this server; 0 means that it was just used. */
  tell(generation: number, underWay: number): void;
  /** Sends a request to a program on stdin and stdout. */
  send(generation: number, request: UpstreamRequest, sink: AnswerSink): UpstreamCall;
  /** The next `use` starts another process. Open calls finish in the old one. Earlier failures are forgotten. */
  replace(serverId: string, reason: string): void;
  /** Ends a server's programs and removes all of its files. */
  forget(serverId: string): Promise<void>;
  /** Starts a program beside the live one, and ends it once it has answered `initialize`. Resolves with the problem. */
  try(spec: ProgramSpec, owner: OutputOwner): Promise<string | undefined>;
  /** False when the machine's limit of simultaneous builds is reached. */
  takeBuildPlace(): Promise<boolean>;
  giveBuildPlaceBack(): void;
  /** Throws BuildFailed, or the reason of the signal once no process of the build runs any more. */
  build(order: BuildOrder, signal: AbortSignal): Promise<BuildResult>;
  removeBuilds(serverId: string, buildIds: readonly string[]): Promise<void>;
  removeUploads(ids: readonly string[]): Promise<void>;
  /** Leaves the host. Resolves with true if all programs have ended, false if other servers go on using them. */
  close(): Promise<boolean>;
}

/** The messages and requests from a host to a server. */
export interface HostListener {
  reported(serverId: string, report: HostReport): void;
  /** The run accepts no new requests: it is replaced, idle or gone. */
  left(generation: number): void;
  /** Resolves when the lines are stored. */
  printed(owner: OutputOwner, lines: readonly PrintedLine[]): Promise<void>;
  /** Reads to which targets programs may connect. */
  targets(): Promise<TargetPolicy>;
  /** Reports a fault of the host that users cannot fix. */
  faulted(what: string, error: unknown): void;
  /** The host has ended, with all its programs. */
  lost(): void;
}

/** A clock that all processes of the machine share, and that cannot be set. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
