/** The kernel's own limits for a program with all that it starts, where this machine allows them. */

export interface ProgramLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
}

/** A group of processes that the kernel limits as a whole. */
export interface Enclosure {
  /** To be called before the program begins: what it starts later is in it by itself. */
  add(pids: readonly number[]): void;
  /** The words of a command that enters it and then becomes the program. */
  entering(): readonly string[];
  memoryBytes(): number;
  /** What the kernel has ended in it, as a reason; undefined while it has not. */
  exceeded(): string | undefined;
  /** Kills all in it, also what hides from a look at the processes. */
  kill(): void;
  /** Once nothing runs in it. */
  remove(): void;
}

export interface Enclosures {
  /** For the person who starts the server. */
  readonly sentence: string;
  make(name: string, limits: ProgramLimits): Enclosure;
  /** Once the last of them is empty. */
  close(): void;
}
