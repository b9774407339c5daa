/** The kernel's own limits for a program with all that it starts, where this machine allows them. */

export interface ProgramLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
}

/** A group of processes that the kernel limits as a whole. */
export interface Enclosure {
  /** Call it before the program begins. What the program starts later belongs to the group, too. */
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
  /** Ends what hosts that are gone have left. */
  endLeft(): void;
  make(name: string, limits: ProgramLimits): Enclosure;
  /** Once the last of them is empty. */
  close(): void;
}
