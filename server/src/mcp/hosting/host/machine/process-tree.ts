/**
 * Finds the processes that belong to one that was started here: by a token in their environment, by their session and
 * group, and by their parents, so that a child that leaves its group or its session is still found. Linux only
 * (`/proc`); elsewhere a tree is its process group.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The variable that marks a process and its descendants. */
export const TOKEN_VARIABLE = 'SIGNALBOX_PROCESS';

const PAGE_BYTES = 4096;

interface Seen {
  /** Undefined for a process that this server did not start. */
  readonly token: string | undefined;
}

/** The content of `/proc/<pid>/stat`; undefined when the process has ended. */
interface ProcessFacts {
  /** The name of the program, which it may have set itself. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since the machine started; together with the id it identifies a process permanently. */
  readonly startTime: string;
  /** Its own processor time and that of its ended children, in clock ticks. */
  readonly processorTicks: number;
  /** True when it has ended and waits for its parent to notice: it has no open files, locks or ports any more. */
  readonly zombie: boolean;
  /** True when it runs no more code: it is a zombie, or the kernel has begun to remove it. */
  readonly ended: boolean;
}

export class ProcessTable {
  readonly #leaders = new Map<number, string>();
  readonly #seen = new Map<number, Seen>();

  /** `leader` leads a group of its own and carries the token. */
  add(leader: number, token: string): void {
    this.#leaders.set(leader, token);
    this.#seen.set(leader, { token });
    try {
      // When memory runs out, the kernel kills these processes first.
      writeFileSync(`/proc/${leader}/oom_score_adj`, '1000');
    } catch {
      // The system is not Linux, or the process has already ended.
    }
  }

  remove(leader: number): void {
    this.#leaders.delete(leader);
  }

  /**
   * Finds the processes that have been started since the last time. Costs one directory and a file for each new
   * process.
   */
  scan(): Map<string, number[]> {
    const alive = processIds();
    for (const pid of this.#seen.keys()) if (!alive.has(pid)) this.#seen.delete(pid);
    for (const pid of alive) if (!this.#seen.has(pid)) this.#seen.set(pid, { token: this.#tokenOf(pid) });
    const members = new Map<string, number[]>();
    for (const [pid, { token }] of this.#seen) {
      if (token === undefined) continue;
      const known = members.get(token);
      if (known) known.push(pid);
      else members.set(token, [pid]);
    }
    return members;
  }

  #tokenOf(pid: number): string | undefined {
    const marked = tokenIn(pid);
    if (marked !== undefined) return marked;
    const facts = factsOf(pid);
    if (!facts) return undefined;
    return this.#leaders.get(facts.group) ?? this.#leaders.get(facts.session) ?? this.#seen.get(facts.parent)?.token;
  }

  /** Kills all processes of a tree and repeats until none is left; then resolves. */
  async killAll(leader: number, token: string): Promise<void> {
    for (let round = 0; round < 100; round++) {
      signalGroup(leader, 'SIGKILL');
      const left = (this.scan().get(token) ?? []).filter((pid) => pid !== leader && isRunning(pid));
      for (const pid of left) signal(pid, 'SIGKILL');
      if (left.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Processes with this token, found by reading each environment again. */
export function processesMarked(token: string): number[] {
  return [...processIds()].filter((pid) => tokenIn(pid) === token);
}

/** The resident memory of each process; shared memory counts for each. */
export function residentMemoryOf(pids: readonly number[]): number {
  let pages = 0;
  for (const pid of pids) {
    try {
      pages += Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    } catch {
      // It has ended in the meantime.
    }
  }
  return pages * PAGE_BYTES;
}

/**
 * Like `residentMemoryOf`, but shared memory is divided among its processes. Costs a millisecond for each process, or
 * more.
 */
export function sharedMemoryOf(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    } catch {
      // It has ended in the meantime.
    }
  }
  return kilobytes * 1024;
}

/** The processor time of these processes and their ended children, in clock ticks. */
export function processorTicksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (factsOf(pid)?.processorTicks ?? 0), 0);
}

export function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program is in parentheses and may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
      // A killed process frees its memory before it becomes a zombie, which takes some milliseconds.
      ended: fields[0] === 'Z' || fields[20] === '0',
      zombie: fields[0] === 'Z',
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      startTime: fields[19] ?? '',
      processorTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
    };
  } catch {
    return undefined;
  }
}

export function signalGroup(leader: number, name: NodeJS.Signals): void {
  signal(-leader, name);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

function isRunning(pid: number): boolean {
  const facts = factsOf(pid);
  return facts !== undefined && !facts.zombie;
}

function tokenIn(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const start = `\0${environment}`.indexOf(`\0${TOKEN_VARIABLE}=`);
    if (start === -1) return undefined;
    return environment.slice(start + TOKEN_VARIABLE.length + 1).split('\0', 1)[0];
  } catch {
    return undefined;
  }
}

function processIds(): Set<number> {
  try {
    return new Set(
      readdirSync('/proc')
        .filter((name) => name.charCodeAt(0) >= 49 && name.charCodeAt(0) <= 57)
        .map(Number),
    );
  } catch {
    return new Set();
  }
}
