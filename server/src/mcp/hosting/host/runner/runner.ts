/**
 * Where processes of hosted servers run: a seam. `ProcessRunner` starts them on this machine, in a sandbox or without;
 * containers could stand behind the same interface.
 */
import type { Readable, Writable } from 'node:stream';
import type { Entrance } from '../network/entrance.ts';

/** The files that a program may use. Only a sandbox enforces it. */
export interface ProgramFiles {
  /** Folders of its own that it writes to; no part of their paths is made by a program. */
  readonly writable: readonly string[];
  /** Where temporary files go; a folder of its own as well. */
  readonly temporary: string;
  /** Files that were made for it and no longer change. */
  readonly readable: readonly string[];
  /** Read-only parts of the machine beside the system: interpreters, and what an operator names. */
  readonly machine: readonly string[];
}

export interface ProcessSpec {
  /** Whose program it is. */
  readonly serverId: string;
  /** Program and arguments as they are; no shell reads them. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly files: ProgramFiles;
  /** All of it: nothing of this server's own environment is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** The limit of the process with all that it has started; beyond it everything is killed. */
  readonly memoryMegabytes: number;
  /** The limit of one file and of all files in the folders that it writes to; beyond it everything is killed. */
  readonly diskMegabytes: number;
  /** The limit of files, folders and links in those folders; beyond it everything is killed. */
  readonly maxFiles: number;
  /** The port that it listens on, if any, and a folder of this server's own for the way there. */
  readonly serves?: { readonly port: number; readonly folder: string };
  /** False: nothing is written to it, and it reads an end of file. */
  readonly input: boolean;
}

export interface ProcessEnd {
  /** A sentence: how it ended, and why when this server ended it. */
  readonly reason: string;
  readonly code: number | null;
}

export interface RunningProcess {
  /** Null when it takes no input or did not start. */
  readonly stdin: Writable | null;
  /** Both end soon after the process, even when other processes hold them. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it and all that it had started are gone; also when it could not be started. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** How this server reaches the port that it serves; undefined: at the loopback address. Never rejects. */
  readonly entrance: Promise<Entrance | undefined>;
  /** Asks it to end, and kills what is left after that time. Resolves with `ended`. */
  stop(graceSeconds: number, reason: string): Promise<ProcessEnd>;
  memoryBytes(): number;
}

export interface Runner {
  /** True where each process has a network of its own, in which every port is free. */
  readonly isolatesNetwork: boolean;
  /** The user of the machine that programs of a server run as; undefined: the user of this server. */
  userOf(serverId: string): number | undefined;
  start(spec: ProcessSpec): RunningProcess;
  /** Kills what is left, at once. */
  close(): Promise<void>;
}
