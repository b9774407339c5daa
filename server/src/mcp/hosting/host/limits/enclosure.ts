/** The kernel's own limits for a program and its descendants, if this machine allows them. */

export interface ProgramLimits {
  readonly memoryBytes: number;
  /** Limit of processes and threads. */
  readonly tasks: number;
}

/** A group of processes that the kernel limits as a whole. */
export interface Enclosure {
  /** Call it before the program runs. Its descendants also belong to the group. */
  add(pids: readonly number[]): void;
  /** The words of a command that enters it and then becomes the program. */
  entering(): readonly string[];
  memoryBytes(): number;
  /** The reason why the kernel has killed a process in it; undefined if it has not. */
  exceeded(): string | undefined;
  /** Kills all processes in it, including those that a search does not find. */
  kill(): void;
  /** Call it when no process is left in it. */
  remove(): void;
}

export interface Enclosures {
  /** A sentence for the person who starts the server. */
  readonly sentence: string;
  /** Kills the processes of ended hosts, and removes their groups. */
  endLeft(): void;
  make(name: string, limits: ProgramLimits): Enclosure;
  /** Call it when the last group is empty. */
  close(): void;
}
