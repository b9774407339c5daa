/**
 * The interface for running processes of hosted servers. `ProcessRunner` runs them on this machine, in a sandbox or
 * without; containers could implement the same interface.
 */
import type { Readable, Writable } from 'node:stream';
import type { Entrance } from '../network/entrance.ts';

/** The files that a program may use. Only a sandbox enforces this. */
export interface ProgramFiles {
  /** Its own writable folders; no part of their paths was made by a program. */
  readonly writable: readonly string[];
  /** The folder for temporary files, also its own. */
  readonly temporary: string;
  /** Files that were made for it and no longer change. */
  readonly readable: readonly string[];
  /** Read-only parts of the machine besides the system: interpreters, and files that an operator named. */
  readonly machine: readonly string[];
}

export interface ProcessSpec {
  /** The server that the program belongs to. */
  readonly serverId: string;
  /** Program and arguments; they are not parsed by a shell. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly files: ProgramFiles;
  /** The complete environment: nothing of this server's own is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** Limit of the process and its descendants; beyond it all of them are killed. */
  readonly memoryMegabytes: number;
  /** Limit of one file and of all files in the writable folders; beyond it all processes are killed. */
  readonly diskMegabytes: number;
  /** Limit of files, folders and links in those folders; beyond it all processes are killed. */
  readonly maxFiles: number;
  /** The port on which it listens, if any, and a folder of this server for the socket that leads there. */
  readonly serves?: { readonly port: number; readonly folder: string };
  /** False if nothing is written to it, so that it reads an end of file. */
  readonly input: boolean;
}

export interface ProcessEnd {
  /** A sentence: how it ended, and why if this server ended it. */
  readonly reason: string;
  readonly code: number | null;
}

export interface RunningProcess {
  /** Null when it takes no input or did not start. */
  readonly stdin: Writable | null;
  /** Both end soon after the process, even when other processes keep them open. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it and all its descendants have ended, or when it could not be started. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** The entrance to its port; undefined if it is reached at the loopback address. Never rejects. */
  readonly entrance: Promise<Entrance | undefined>;
  /** Requests its end, and kills what is left after that time. Resolves with `ended`. */
  stop(graceSeconds: number, reason: string): Promise<ProcessEnd>;
  memoryBytes(): number;
}

export interface Runner {
  /** True where each process has a network of its own, in which every port is free. */
  readonly isolatesNetwork: boolean;
  /** The user of the machine that a server's programs run as; undefined means the user of this server. */
  userOf(serverId: string): number | undefined;
  start(spec: ProcessSpec): RunningProcess;
  /** Kills the remaining processes immediately. */
  close(): Promise<void>;
}
